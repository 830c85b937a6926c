import { useState } from "react";
import { refused } from "../store/notices";
import { takeTransfers } from "../store/transfers";
import { isolatedName } from "../text/safe";
import { t } from "../text/t";
import { seenNow } from "../wire/events";
import { call } from "../wire/rpc";
import { Button } from "./button";
import { Confirm } from "./dialog";

/** Types that hold no programs: the daemon refuses a file whose content is not what its name says. */
const HARMLESS =
  /^(3gp|aac|avi|avif|bmp|csv|epub|flac|gif|hei[cf]|jpe?g|m4[av]|md|mkv|mov|mp[34]|og[agv]|opus|pdf|png|rtf|srt|tiff?|txt|vtt|wav|web[amp])$/;

/** Takes an offer that is held back because of its types: after a question, if they can hold programs. */
export function TakeAnyway({ id, name, types = [] }: { id: string; name: string; types?: readonly (string | null)[] | undefined }) {
  const [isAsked, setAsked] = useState(false);
  const take = async () => {
    const asked = seenNow();
    takeTransfers([await call("transfer.accept", { id, anyway: true })], asked);
  };
  if (types.length > 0 && types.every((type) => HARMLESS.test(type ?? ""))) return <Button icon="download" onClick={() => void take().catch(refused)}>{t("file.take")}</Button>;
  return (
    <>
      <Button icon="download" onClick={() => setAsked(true)}>{t("file.anyway")}</Button>
      {isAsked && (
        <Confirm title={t("file.anyway.title", { name: isolatedName(name) })} action={t("file.anyway")} onConfirm={take} onClose={() => setAsked(false)}>
          <p>{t("file.anyway.more")}</p>
        </Confirm>
      )}
    </>
  );
}
