import { useState } from "react";
import { takeContacts } from "../store/contacts";
import { rich, t } from "../text/t";
import { seenNow } from "../wire/events";
import { call } from "../wire/rpc";
import type { Params } from "../contract/methods";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { TextField } from "./field";
import { calledOr, shortId } from "./person";
import { Name, Note } from "./small";
import { useTask } from "./task";

/** Longest note with a request, in characters; the contract has the same limit. */
const NOTE = 500;

/** The person a request goes to: an account that is here, or a link. */
export type Asked = Pick<Params<"contact.request">, "id" | "address" | "uri">;

/** Asks a person to be friends. It shows once more who the request goes to, and takes a note. */
export function AskDialog({ whom, id, name, onClose, onAsked }: {
  whom: Asked; id: string; name: string; onClose: () => void; onAsked?: () => void;
}) {
  const [note, setNote] = useState("");
  const task = useTask();
  const ask = async () => {
    const done = await task.run(async () => {
      const asked = seenNow();
      takeContacts([await call("contact.request", { ...whom, ...(note.trim() === "" ? {} : { note: note.trim() }) })], asked);
    });
    if (!done) return;
    onClose();
    onAsked?.();
  };
  return (
    <Dialog
      title={t("ask.title")} onClose={onClose} onSubmit={() => void ask()}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look="primary" type="submit" busy={task.busy}>{t("ask.send")}</Button>
      </>}
    >
      <p className="wrap">{rich("ask.whom", { name: <strong><Name>{calledOr(name)}</Name></strong> })}</p>
      {id !== "" && <p className="small quiet"><code dir="ltr">{shortId(id)}…</code></p>}
      <TextField
        label={t("ask.note")} hint={t("ask.note.hint")} value={note} maxLength={NOTE} rows={3}
        onChange={(event) => setNote(event.target.value)}
      />
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </Dialog>
  );
}
