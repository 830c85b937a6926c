// Shows the notices.
import { useEffect } from "react";
import { useWhole } from "../base/store";
import { STAYS, end, notices } from "../store/notices";
import type { Notice } from "../store/notices";
import { t } from "../text/t";
import { Button, IconButton } from "./button";

function One({ notice }: { notice: Notice }) {
  useEffect(() => {
    if (notice.stays) return;
    const timer = setTimeout(() => end(notice.id), STAYS);
    return () => clearTimeout(timer);
  }, [notice.id, notice.stays]);
  const { action } = notice;
  useEffect(() => action?.watch?.(() => end(notice.id)), [action, notice.id]);
  return (
    <div className="notice">
      <span className="grow wrap">{notice.text}</span>
      {action !== undefined && (
        <Button
          look="quiet"
          onClick={() => {
            end(notice.id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="close" small label={t("common.close")} onClick={() => end(notice.id)} />
    </div>
  );
}

export function Notices() {
  const all = useWhole(notices);
  return <div className="notice-list" role="status">{all.map((notice) => <One key={notice.id} notice={notice} />)}</div>;
}
