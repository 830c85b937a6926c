// Everything that a page shows about calls: the ringing ones, the one that it carries, one in another window, and the results of past ones.
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { useStore, useWhole } from "../../base/store";
import { activeCall, decline, dismiss } from "../../call/activeCall";
import { failures, seat } from "../../call/seat";
import type { Call } from "../../contract/types";
import { Button } from "../../parts/button";
import { calls } from "../../store/calls";
import { notify, refused } from "../../store/notices";
import { go } from "../../store/router";
import { t } from "../../text/t";
import { useParty } from "./parts";
import { Ringing } from "./ringing";
import { Talk } from "./talk";

/** Says in words why a call has ended. */
function endWords(call: Call, name: string, failure: "refused" | "nameless" | undefined): string {
  if (call.group) return t("call.end.removed", { name });
  if (call.reason === "failed" && failure !== undefined) return t(`call.${failure}`);
  // Where there was no session with any device of the friend, there was nothing that could have rung.
  if (call.reason === "nobody" && call.participants.length === 0) return t("call.end.offline", { name });
  return t(`call.end.${call.reason ?? "lost"}`, { name });
}

/** Tells what became of a call, with what can be done about it. Of a group's call it only tells that the user was removed. */
function Ended({ call }: { call: Call }) {
  const { said } = useParty(call);
  const isPlain = call.group || call.reason === "hangup" || call.reason === "cancelled" || call.reason === "elsewhere" || (call.direction === "incoming" && call.reason === "declined");
  const failure = useStore(failures, (all) => all.get(call.id));
  const words = endWords(call, said, failure);
  useEffect(() => {
    if (!isPlain) return;
    notify(words);
    dismiss(call.id);
  }, [isPlain, call.id, words]);
  const { conversation } = call;
  if (isPlain) return null;
  return (
    <section className="call-ring" aria-label={t("call.ended")}>
      <p className="call-name wrap" role="alert">{words}</p>
      <div className="call-buttons">
        {conversation !== null && (
          <>
            <Button
              icon="call"
              onClick={() => {
                dismiss(call.id);
                activeCall.start(conversation, call.media).catch(refused);
              }}
            >
              {t("call.again")}
            </Button>
            <Button
              icon="chat"
              onClick={() => {
                dismiss(call.id);
                go(`chats/${conversation}`);
              }}
            >
              {t("call.write")}
            </Button>
          </>
        )}
        <Button look="quiet" icon="close" onClick={() => dismiss(call.id)}>{t("common.close")}</Button>
      </div>
    </section>
  );
}

/** A call that another window of this account carries. */
function Elsewhere({ call }: { call: Call }) {
  const { said } = useParty(call);
  return (
    <section className="call-ring" aria-label={t("call.title", { name: said })}>
      <p className="wrap">{t("call.elsewhere", { name: said })}</p>
      <div className="call-buttons">
        <Button icon="call" onClick={() => activeCall.take(call).catch(refused)}>{t("call.here")}</Button>
        <Button look="danger" icon="close" onClick={() => void activeCall.hangUp(call.id)}>{t("call.hangup")}</Button>
      </div>
    </section>
  );
}

/** Returns where the user can press the buttons of a call that rings: in the last dialog that covers the page, else in the page. */
const host = (): Element => [...document.querySelectorAll("dialog[open]")].filter((one) => one.closest(".call-list") === null).at(-1) ?? document.querySelector(".shell") ?? document.body;

function useHost(): Element {
  const [now, setNow] = useState(host);
  useEffect(() => {
    const look = new MutationObserver(() => setNow(host()));
    look.observe(document.body, { subtree: true, childList: true, attributeFilter: ["open"] });
    setNow(host());
    return () => look.disconnect();
  }, []);
  return now;
}

const rings = (call: Call): boolean => call.state === "incoming";

/** Whether to tell the user how a call ended: if the user began it or was in it, or if it failed; in a group, only about a removal. */
const isTold = (call: Call): boolean => call.group ? call.reason === "not_allowed" : call.direction === "outgoing" || call.connectedAt !== null || call.reason === "failed";

/** Handles Alt and a letter, wherever the focus is. */
function onKey(event: KeyboardEvent): void {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const ringing = calls.get().find(rings);
  const { id, sends, deaf } = seat.get();
  const doing: Record<string, (() => unknown) | false> = {
    KeyA: ringing !== undefined && (() => activeCall.accept(ringing, "audio").catch(refused)),
    KeyX: ringing !== undefined && (() => decline(ringing.id)),
    KeyM: id !== null && (() => activeCall.mute(sends.includes("microphone"))),
    KeyL: id !== null && (() => activeCall.deafen(!deaf)),
    KeyV: id !== null && (() => (sends.includes("camera") ? activeCall.turnOff("camera") : activeCall.turnOn("camera"))),
    KeyS: id !== null && (() => (sends.includes("screen") ? activeCall.turnOff("screen") : activeCall.share())),
    KeyH: id !== null && (() => activeCall.hangUp(id)),
  };
  const act = doing[event.code];
  if (act === undefined || act === false) return;
  event.preventDefault();
  act();
}

export default function Calls() {
  const all = useWhole(calls);
  const mine = useStore(seat, ({ id }) => id);
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const place = useHost();
  // A picture in full screen gives way to an incoming call.
  const isRung = all.some(rings);
  useEffect(() => {
    if (isRung && document.fullscreenElement !== null) void document.exitFullscreen().catch(() => undefined);
  }, [isRung]);
  useEffect(() => {
    for (const one of all) if (one.state === "ended" && !isTold(one)) dismiss(one.id);
  }, [all]);
  const here = all.find(({ id }) => id === mine);
  const others = all.filter(({ id }) => id !== mine);
  return (
    <>
      {here !== undefined && here.state !== "ended" && <Talk call={here} />}
      {createPortal(<div className="call-list">
        {others.map((one) => rings(one) ? <Ringing key={one.id} call={one} />
          : one.state !== "ended" ? one.seat !== null && <Elsewhere key={one.id} call={one} />
          : isTold(one) && <Ended key={one.id} call={one} />)}
      </div>, place)}
    </>
  );
}
