import { useState } from "react";
import type { Message } from "../../contract/types";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Note } from "../../parts/small";
import { wording } from "../../text/errors";
import { preview } from "../../text/preview";
import { t } from "../../text/t";
import { asRefused } from "../../wire/refusal";
import { callIn } from "../../wire/rpc";

/** Asks from whose sight a message is to go. */
export function DeleteMessage({ message, own, onClose }: { message: Message; own: boolean; onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const remove = (from: "me" | "all") => () => {
    setBusy(true);
    callIn(message.conversation, "message.delete", { id: message.id, for: from }).then(onClose, (error: unknown) => {
      setBusy(false);
      setProblem(wording(asRefused(error)));
    });
  };
  return (
    <Dialog
      title={t("message.delete")} onClose={onClose}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look={own && !message.deleted ? "plain" : "danger"} busy={busy} onClick={remove("me")}>{t("message.delete.me")}</Button>
        {own && !message.deleted && <Button look="danger" busy={busy} onClick={remove("all")}>{t("message.delete.all")}</Button>}
      </>}
    >
      <p className="quote"><span className="quote-text cut"><bdi>{preview(message)}</bdi></span></p>
      <p>{t(own ? "message.delete.own" : "message.delete.other")}</p>
      {problem !== null && <Note look="danger" alert>{problem}</Note>}
    </Dialog>
  );
}
