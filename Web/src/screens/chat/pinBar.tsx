// Stands over a chat with pinned messages: the newest one, and after each click the one before.
import { useEffect, useMemo, useState } from "react";
import { useStore } from "../../base/store";
import type { Conversation, Message } from "../../contract/types";
import { Icon } from "../../parts/icon";
import { Name } from "../../parts/small";
import { histories } from "../../store/messages";
import { refused } from "../../store/notices";
import { preview } from "../../text/preview";
import { t } from "../../text/t";
import { link } from "../../wire/link";
import { call } from "../../wire/rpc";

/** Reacting to a message with this pins it. */
export const PIN = "📌";
/** So many of the newest can be reached here. */
const MOST = 50;

const isPinned = ({ reactions }: Message): boolean => reactions.some(({ emoji }) => emoji === PIN);

export function PinBar({ conversation: { id, pins }, onJump }: { conversation: Conversation; onJump: (message: string) => void }) {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [at, setAt] = useState(0);
  const isOpen = useStore(link, (way) => way === "open");
  const rows = useStore(histories, (all) => all.get(id)?.rows);
  /** Which of the messages that are loaded are pinned: another one may be while as many are. */
  const here = useMemo(() => (rows ?? []).filter(isPinned).map((row) => row.id).join(" "), [rows]);
  useEffect(() => {
    if (!isOpen) return;
    let isOver = false;
    call("message.media", { conversation: id, has: "pin", limit: MOST }).then((page) => {
      if (isOver) return;
      setMessages(page.messages);
      setAt(0);
    }, refused);
    return () => void (isOver = true);
  }, [id, pins, here, isOpen]);
  const told = messages[at];
  // It may have been edited since.
  const message = rows?.find((row) => row.id === told?.id) ?? told;
  if (message === undefined) return null;
  return (
    <button
      type="button" className="pin-bar" aria-label={t("pins.go", { at: at + 1, count: messages.length, text: preview(message) })}
      onClick={() => {
        onJump(message.id);
        setAt((at + 1) % messages.length);
      }}
    >
      <Icon name="pin" size={18} />
      <span className="grow column-tight">
        <span className="small quiet cut"><Name>{message.senderName}</Name></span>
        <bdi className="cut">{preview(message)}</bdi>
      </span>
      {messages.length > 1 && <span className="small quiet numbers">{at + 1}/{messages.length}</span>}
    </button>
  );
}
