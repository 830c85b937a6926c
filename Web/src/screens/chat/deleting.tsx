import type { Message } from "../../contract/types";
import { Button } from "../../parts/button";
import { Confirm, Dialog } from "../../parts/dialog";
import { make } from "../../store/changes";
import { preview } from "../../text/preview";
import { t } from "../../text/t";
import { useDoing } from "./doing";

/** Asks from whose sight a message is to go. */
export function DeleteMessage({ message, own, onClose }: { message: Message; own: boolean; onClose: () => void }) {
  const remove = (from: "me" | "all") => () => {
    make(message.conversation, { method: "message.delete", params: { id: message.id, for: from } });
    onClose();
  };
  const isNote = useDoing().kind === "notes";
  if (isNote) {
    return <Confirm title={t("message.delete")} action={t("common.delete")} onClose={onClose} onConfirm={async () => remove("me")()}><p>{t("notes.delete")}</p></Confirm>;
  }
  return (
    <Dialog
      title={t("message.delete")} onClose={onClose} wide
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look={own && !message.deleted ? "plain" : "danger"} onClick={remove("me")}>{t("message.delete.me")}</Button>
        {own && !message.deleted && <Button look="danger" onClick={remove("all")}>{t("message.delete.all")}</Button>}
      </>}
    >
      <p className="quote"><span className="quote-text cut"><bdi>{preview(message)}</bdi></span></p>
      <p>{t(own ? "message.delete.own" : "message.delete.other")}</p>
    </Dialog>
  );
}
