// The record of a call, in a chat.
import { useStore } from "../../base/store";
import type { Message } from "../../contract/types";
import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { calls } from "../../store/calls";
import { duration } from "../../text/format";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { ring } from "../ring";
import { Join } from "./bar";

/** Says how the user took part in a group's call; null if there is nothing to say about that. */
function part({ call }: Message, own: boolean): string | null {
  if (call === null) return null;
  if (call.outcome === "answered") return call.duration > 0 ? duration(call.duration / 1000) : null;
  if (call.outcome === "declined") return t("call.record.group.declined");
  return t(own ? "call.record.group.nobody" : "call.record.group.missed");
}

/** Says in words what became of a call. In a group, `sender` is the name of the member that began it. */
export function recordWords(message: Message, own: boolean, sender?: string): string {
  const { call } = message;
  if (call === null) return t("message.call");
  if (sender !== undefined) {
    const more = part(message, own);
    const words = own ? t("call.record.group.own") : t("call.record.group", { name: isolatedName(sender) });
    return more === null ? words : `${words} · ${more}`;
  }
  if (call.outcome === "answered") return t(call.media === "video" ? "call.record.answered.video" : "call.record.answered", { length: duration(call.duration / 1000) });
  return own ? t(`call.record.${call.outcome}`) : t(`call.record.${call.outcome}.in`);
}

/** The outcomes that are no missed call for the person who was called. */
const settled = new Set(["answered", "declined"]);

/** @param sender the name of the member that began the call, in a group */
export default function Record({ message, own, canCall, sender }: { message: Message; own: boolean; canCall: boolean; sender: string | undefined }) {
  const missed = !own && !settled.has(message.call?.outcome ?? "");
  const open = useStore(calls, (all) => all.find(({ id, state }) => id === message.call?.id && (state === "ongoing" || state === "incoming")));
  return (
    <span className={missed ? "call-record call-missed" : "call-record"}>
      <Icon name={message.call?.media === "video" ? "video" : "call"} size={18} />
      <span className="grow">{recordWords(message, own, sender)}</span>
      {canCall && sender === undefined && <Button look="quiet" onClick={() => ring(message.conversation, message.call?.media ?? "audio")}>{t("call.back")}</Button>}
      {canCall && open !== undefined && <Join call={open} look="quiet" />}
    </span>
  );
}
