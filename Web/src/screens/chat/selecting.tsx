// Several messages of the open chat at once: which are selected, and what can be done with them.
import { useEffect, useState } from "react";
import { Store, useStore, useWhole } from "../../base/store";
import type { Message } from "../../contract/types";
import { IconButton } from "../../parts/button";
import { Confirm } from "../../parts/dialog";
import { twice } from "../../parts/later";
import { self } from "../../store/account";
import { make } from "../../store/changes";
import { contacts } from "../../store/contacts";
import { histories } from "../../store/messages";
import { notify, refused } from "../../store/notices";
import { personName } from "../../store/people";
import { laterWords } from "../../text/language";
import { preview } from "../../text/preview";
import { t } from "../../text/t";
import { Transcript } from "../../text/transcript";
import { asRefused } from "../../wire/refusal";
import { call } from "../../wire/rpc";
import { useDoing } from "./doing";

/** So many can be selected: each is a request of its own. */
export const MOST_SELECTED = 100;

/** The messages that are selected in the open chat, by id; null: none is to be. */
const selected = new Store<ReadonlyMap<string, Message> | null>(null);

export const useSelecting = (): boolean => useStore(selected, (all) => all !== null);

/** Whether a message is selected; null: none is to be. */
export const useIsSelected = (id: string): boolean | null => useStore(selected, (all) => all === null ? null : all.has(id));

export const endSelecting = (): void => selected.set(null);
export const isSelecting = (): boolean => selected.get() !== null;

/** Kibo's own lines are nobody's messages. */
export const canSelect = (message: Message): boolean => message.kind !== "system";

/** Selects a message, or no longer. With the last one the selection ends. */
export function toggle(message: Message): void {
  if (!canSelect(message)) return;
  const all = new Map(selected.get() ?? []);
  if (!all.delete(message.id)) {
    if (all.size >= MOST_SELECTED) return notify(t("select.most", { count: MOST_SELECTED }));
    all.set(message.id, message);
  }
  selected.set(all.size === 0 ? null : all);
}

/** The selected messages as they are now, the oldest first. Those that are gone are left out. */
async function present(): Promise<Message[]> {
  const all = [...(selected.get() ?? new Map<string, Message>()).values()];
  const found = await Promise.all(all.map(async ({ id, conversation }) => {
    const here = histories.get().get(conversation)?.rows.find((row) => row.id === id);
    return here ?? call("message.get", { id }).catch((error: unknown) => {
      if (asRefused(error).kind === "not_found") return null;
      throw error;
    });
  }));
  return found.filter((message): message is Message => message !== null && !message.deleted).sort((a, b) => (a.position < b.position ? -1 : 1));
}

/** Those that can be sent on: calls can't. */
const toForward = (messages: readonly Message[]): Message[] => messages.filter(({ kind, deleted }) => kind !== "call" && !deleted);

/** The bar with what can be done; Escape ends the selection. */
export function SelectionBar({ onForward }: { onForward: (messages: readonly Message[]) => void }) {
  const all = useWhole(selected);
  const doing = useDoing();
  const [deleting, setDeleting] = useState<readonly Message[] | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || document.querySelector("dialog[open], .menu") !== null) return;
      event.preventDefault();
      endSelecting();
    };
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, []);
  if (all === null) return null;
  const count = all.size;
  const copy = async () => {
    const [messages] = await Promise.all([present(), twice(laterWords)]);
    const [first] = messages;
    if (first === undefined) return;
    // Several are worded as in a chat that is saved: with who said it and when.
    const saved = new Transcript((account) => (account === doing.own ? self.get().account?.displayName : undefined) ?? personName(account, contacts.get(), doing.group));
    const lines = messages.map((message) => saved.lines(message)).join("").trim();
    await navigator.clipboard.writeText(messages.length === 1 ? first.text || preview(first) : lines);
    notify(t("message.copied"));
    endSelecting();
  };
  const forward = async () => {
    const messages = toForward(await present());
    if (messages.length > 0) onForward(messages);
  };
  const remove = () => {
    for (const { id, conversation } of deleting ?? []) make(conversation, { method: "message.delete", params: { id, for: "me" } });
    endSelecting();
  };
  return (
    <div className="select-bar" role="toolbar" aria-label={t("select.bar")}>
      <IconButton icon="close" label={t("select.end")} onClick={endSelecting} />
      <span className="grow" role="status">{t("select.count", { count })}</span>
      <IconButton icon="copy" label={t("message.copy")} onClick={() => void copy().catch(refused)} />
      <IconButton icon="share" label={t("forward.title")} disabled={toForward([...all.values()]).length === 0} onClick={() => void forward().catch(refused)} />
      <IconButton icon="delete" label={t("message.delete.me")} onClick={() => setDeleting([...all.values()])} />
      {deleting !== null && (
        <Confirm title={t("select.delete", { count: deleting.length })} action={t("message.delete.me")} onClose={() => setDeleting(null)} onConfirm={async () => remove()}>
          <p>{t("select.delete.more", { count: deleting.length })}</p>
        </Confirm>
      )}
    </div>
  );
}
