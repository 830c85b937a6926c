// Short messages at the bottom: what was done or refused, for a moment, with a way to undo it where there is one.
import { useEffect } from "react";
import { Store, useWhole } from "../store/store";
import { wording } from "../text/errors";
import { t } from "../text/t";
import { asRefused } from "../wire/refusal";
import { Button, IconButton } from "./button";

interface Notice {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

/** How long a notice stays, in ms. */
const STAYS = 6000;

const notices = new Store<readonly Notice[]>([]);
let last = 0;

const end = (id: number): void => notices.update((all) => all.filter((notice) => notice.id !== id));

export function notify(text: string, action?: { label: string; run: () => void }): void {
  last += 1;
  const notice: Notice = action === undefined ? { id: last, text } : { id: last, text, action };
  notices.update((all) => [...all.slice(-2), notice]);
}

/** Says why something was refused. For `.catch(refused)`. */
export const refused = (error: unknown): void => notify(wording(asRefused(error)));

function One({ notice }: { notice: Notice }) {
  useEffect(() => {
    const timer = setTimeout(() => end(notice.id), STAYS);
    return () => clearTimeout(timer);
  }, [notice.id]);
  const { action } = notice;
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
