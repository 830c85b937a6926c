// The view of the call that this window carries: large over the page, beside its chat, or small in a corner.
import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { useWhole } from "../../base/store";
import { otherOf, peopleOf, rungAt } from "../../call/people";
import { seat } from "../../call/seat";
import type { Seat } from "../../call/seat";
import type { Call } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { useDrop } from "../../parts/drop";
import { Icon } from "../../parts/icon";
import { Name } from "../../parts/small";
import { say } from "../../store/live";
import { notify } from "../../store/notices";
import { post } from "../../store/outbox";
import { go, usePlace } from "../../store/router";
import { t } from "../../text/t";
import { useLayout } from "../layout";
import { Controls } from "./controls";
import { DeviceDialog } from "./deviceDialog";
import { Notes, Shown } from "./notes";
import { Length, useNames, useParty } from "./parts";
import type { Party } from "./parts";
import { Stage } from "./stage";

type Size = "large" | "beside" | "small";

/** Makes what the call covers unreachable, and gives the focus back when it is uncovered. */
function useCover(size: Size) {
  const window = useRef<HTMLElement>(null);
  useEffect(() => {
    if (size === "small") return;
    const before = document.activeElement;
    const below = [...document.querySelectorAll(".shell > :is(.rail, .pane, .shell-banner)")].filter((one) => size === "large" || !one.matches(".pane-main"));
    for (const one of below) one.setAttribute("inert", "");
    document.documentElement.toggleAttribute("data-call-beside", size === "beside");
    if (size === "large") window.current?.focus();
    return () => {
      for (const one of below) one.removeAttribute("inert");
      document.documentElement.removeAttribute("data-call-beside");
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [size]);
  return window;
}

/** Describes the state of a call in words; null while people are talking. */
function standing(call: Call, { ties }: Seat, { said }: Party, names: ReturnType<typeof useNames>): string | null {
  if (call.group) {
    if (peopleOf(call).length > 0) return null;
    return call.state === "ringing" ? t("call.state.ringing.at", { names: names.all(rungAt(call)) }) : t(call.connectedAt === null ? "call.state.alone" : "call.state.alone.left");
  }
  const other = otherOf(call);
  if (call.state === "outgoing" || call.state === "ringing") {
    if (other?.state === "waiting") return t("call.state.waiting", { name: said });
    if (other?.silent === true) return t("call.state.silent", { name: said });
    return t(call.state === "ringing" ? "call.state.ringing" : "call.state.outgoing");
  }
  const state = ties.get(other?.device ?? "")?.state ?? "connecting";
  if (state === "connected") return null;
  if (state === "refused") return t("call.state.refused");
  return other?.state === "away" ? t("call.state.away", { name: said }) : t(state === "broken" ? "call.state.broken" : "call.state.connecting");
}

/** Returns what to read out when the state of a call between two has changed: that it was answered, its state, that talking has begun. */
function useSteps(call: Call, standing: string | null, name: string): () => string[] {
  const isRung = !call.group && (call.state === "outgoing" || call.state === "ringing");
  const before = useRef<{ isRung: boolean; standing: string | null } | null>(null);
  // A window that was reloaded during the call simply continues it.
  const hasBegun = useRef(call.connectedAt !== null);
  return () => {
    const was = before.current;
    before.current = { isRung, standing };
    const words: string[] = [];
    if (was?.isRung === true && !isRung) words.push(t("call.answered", { name }));
    if (was !== null && was.standing === standing) return words;
    if (standing !== null) words.push(standing);
    else if (!call.group) {
      words.push(t(hasBegun.current ? "call.begun.again" : "call.begun", { name }));
      hasBegun.current = true;
    }
    return words;
  };
}

/** Reads out how the call stands, which people come and go, and whose voice is off. */
function useSaying(call: Call, now: Seat, standing: string | null, { said }: Party, names: ReturnType<typeof useNames>): void {
  const steps = useSteps(call, standing, said);
  const before = useRef<ReadonlyMap<string, { name: string; isMuted: boolean }> | null>(null);
  const people = new Map(peopleOf(call).map((one) => [one.device, {
    name: names.said(one), isMuted: now.ties.get(one.device)?.state === "connected" && !one.sends.includes("microphone"),
  }]));
  useEffect(() => {
    const was = before.current;
    before.current = people;
    const words = steps();
    if (call.group && was === null && people.size > 0) words.push(t("call.in.it", { names: names.all(peopleOf(call)) }));
    for (const [device, { name, isMuted }] of people) {
      if (call.group && was !== null && !was.has(device)) words.push(t("call.joined", { name }));
      if (isMuted && was?.get(device)?.isMuted !== true) words.push(t("call.muted", { name }));
      if (!isMuted && was?.get(device)?.isMuted === true) words.push(t("call.muted.not", { name }));
    }
    for (const [device, { name }] of was ?? []) if (call.group && !people.has(device)) words.push(t("call.left", { name }));
    if (words.length > 0) say(words.map((one) => one.replace(/[.…]$/, "")).join(". ") + ".");
  });
}

export function Talk({ call }: { call: Call }) {
  const now = useWhole(seat);
  const party = useParty(call);
  const names = useNames(party.group);
  const layout = useLayout();
  const place = usePlace();
  const [wanted, setWanted] = useState<Size>("large");
  const [devices, setDevices] = useState(false);
  const { name, said, conversation } = party;
  const chat = `chats/${conversation?.id ?? ""}`;
  // While the page shows anything but its chat, the call is small.
  const size: Size = wanted === "beside" && (layout === "narrow" || (place !== chat && !place.startsWith(`${chat}/message`))) ? "small" : wanted;
  const isSmall = size === "small";
  const window = useCover(size);
  // Files that are dropped onto the call go to its chat.
  const { isOver, handlers } = useDrop(conversation && ((parcels) => {
    post(conversation.id, "", null, parcels);
    notify(t("call.dropped", { count: parcels.length }));
  }));
  const words = standing(call, now, party, names);
  const [rings, people] = [call.group ? rungAt(call) : [], peopleOf(call)];
  useSaying(call, now, words, party, names);
  const [other] = people;
  const isMuted = !call.group && other !== undefined && words === null && !other.sends.includes("microphone");
  const toChat = () => {
    go(chat);
    setWanted(layout === "narrow" ? "small" : "beside");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || isSmall || document.querySelector("dialog[open]") !== null) return;
    event.preventDefault();
    setWanted("small");
  };
  return (
    <section ref={window} tabIndex={-1} className={`call call-${size}`} aria-label={t("call.title", { name: said })} onKeyDown={onKeyDown} {...handlers}>
      <header className="call-head">
        <div className="grow">
          <p className="call-name wrap"><Name>{name}</Name></p>
          <p className="small">
            {words ?? (call.connectedAt !== null && <Length since={call.connectedAt} />)}
            {isMuted && <> · {t("call.muted", { name: said })}</>}
            {call.group && people.length > 0 && people.every((one) => !one.verified) && <> · {t("call.verified.none")}</>}
            {people.length > 0 && rings.length > 0 && <> · {t("call.state.ringing.at", { names: names.all(rings) })}</>}
          </p>
        </div>
        {size === "large" && conversation !== undefined && <Button look="quiet" icon="chat" onClick={toChat}>{t("call.chat")}</Button>}
        {size !== "large" && <IconButton icon="expand" label={t("call.show")} onClick={() => setWanted("large")} />}
        {!isSmall && <IconButton icon="down" label={t("call.hide")} onClick={() => setWanted("small")} />}
      </header>
      {now.sends.includes("screen") && <Shown call={call} party={party} />}
      {!isSmall && <Notes call={call} party={party} onSmall={() => setWanted("small")} />}
      <Stage call={call} party={party} isSmall={isSmall} />
      <Controls call={call} isSmall={isSmall} onDevices={() => setDevices(true)} />
      {isOver && <div className="drop-here"><Icon name="upload" size={40} />{t("call.drop", { name: said })}</div>}
      {devices && <DeviceDialog onClose={() => setDevices(false)} />}
    </section>
  );
}
