// The notes above the pictures of a call: what the user has to know while it goes on.
import { useStore, useWhole } from "../../base/store";
import { activeCall } from "../../call/activeCall";
import { isIn, otherOf, peopleOf } from "../../call/people";
import { seat } from "../../call/seat";
import type { Seat } from "../../call/seat";
import type { Call } from "../../contract/types";
import { Button } from "../../parts/button";
import { Note } from "../../parts/small";
import { t } from "../../text/t";
import { link } from "../../wire/link";
import { useNames } from "./parts";
import type { Party } from "./parts";
import { BAD } from "./tile";

/** From this round trip on, in ms, people begin to speak at the same time. */
const SLOW = 600;

/** Says in words how the worst connection of a call is; null if all are good. */
export function qualityWords({ ties }: Seat): string | null {
  const all = [...ties.values()].filter(({ state }) => state === "connected");
  const [lost, rtt] = [Math.max(0, ...all.map((tie) => tie.lost)), Math.max(0, ...all.map((tie) => tie.rtt))];
  if (lost >= BAD) return t("call.bad", { count: lost });
  return rtt >= SLOW ? t("call.slow", { count: Math.round(rtt / 100) / 10 }) : null;
}

/** Returns the name of whoever is in the call with the user, as part of a sentence; before the first one is, that of the party. */
function useOthers(call: Call, party: Party): string {
  const names = useNames(party.group);
  const others = peopleOf(call);
  return others.length === 0 ? party.said : names.all(others);
}

/** Shows how much of the user's screen is being sent, with a button to stop that. It is there in every size of the window. */
export function Shown({ call, party }: { call: Call; party: Party }) {
  const surface = useStore(seat, (now) => now.surface);
  const name = useOthers(call, party);
  const shown = surface === "window" ? "call.screen.shown.window" : surface === "browser" ? "call.screen.shown.browser" : "call.screen.shown";
  return (
    <div className="call-share">
      <p id="call-share" className="grow wrap small">{t(shown, { name })}</p>
      <Button
        icon="close" aria-describedby="call-share"
        onClick={({ currentTarget }) => {
          // The button goes with what it stops: the focus stays in the call.
          currentTarget.closest<HTMLElement>(".call")?.focus();
          activeCall.turnOff("screen");
        }}
      >
        {t("call.screen.end")}
      </Button>
    </div>
  );
}

/** Whether, between two, the daemons have lost each other while the windows have not. */
function isParted(call: Call, { ties }: Seat): boolean {
  const other = call.group ? undefined : otherOf(call);
  return other !== undefined && !other.reachable && isIn(call, other) && ties.get(other.device)?.state === "connected";
}

export function Notes({ call, party, onSmall }: { call: Call; party: Party; onSmall: () => void }) {
  const now = useWhole(seat);
  const way = useWhole(link);
  const said = useOthers(call, party);
  const quality = qualityWords(now);
  return (
    <div className="call-notes">
      {party.contact !== undefined && party.contact.trust !== "verified" && <Note><a href={`#/friends/${party.id}/verify`} onClick={onSmall}>{t("call.verified.not")}</a></Note>}
      {way !== "open" && <Note look="warn">{t("call.reconnecting")}</Note>}
      {way === "open" && isParted(call, now) && <Note look="warn">{t("call.session", { name: said })}</Note>}
      {quality !== null && <Note look="warn">{quality}</Note>}
      {now.silent && <Note look="warn">{t("call.click.hear", { name: said })}</Note>}
      {(["microphone", "camera"] as const).map((source) => {
        const problem = now.problems[source];
        return problem !== undefined && <Note key={source} look="warn">{t(`call.off.${problem}`, { device: t(`call.device.${source}`) })}</Note>;
      })}
    </div>
  );
}
