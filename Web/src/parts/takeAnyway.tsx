import { useState } from "react";
import { takeTransfers } from "../store/transfers";
import { isolatedName } from "../text/safe";
import { t } from "../text/t";
import { seenNow } from "../wire/events";
import { call } from "../wire/rpc";
import { Button } from "./button";
import { Confirm } from "./dialog";

/** Takes an offer that is held back because of its type, after a question. */
export function TakeAnyway({ id, name }: { id: string; name: string }) {
  const [isAsked, setAsked] = useState(false);
  const take = async () => {
    const asked = seenNow();
    takeTransfers([await call("transfer.accept", { id, anyway: true })], asked);
  };
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
