// The tile of another person in a call: the picture or face, the name, and how the connection is.
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { useStore } from "../../base/store";
import type { Participant } from "../../call/people";
import { seat, speaking } from "../../call/seat";
import type { Tie } from "../../call/seat";
import type { Call, Group } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { IconButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { Name } from "../../parts/small";
import { contacts } from "../../store/contacts";
import { usePersonName } from "../../store/people";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { Picture } from "./parts";

/** From so many lost packets of a hundred on, a connection is called bad. */
export const BAD = 5;

/** Says how a participant of a group's call is connected; null if the participant is simply heard. */
export function tileWords({ state, reachable }: Participant, tie: Tie | undefined): string | null {
  if (state === null) return t(reachable ? "call.state.connecting" : "call.tile.unreachable");
  if (tie?.state === "connected") return tie.lost >= BAD ? t("call.tile.bad") : null;
  if (tie?.state === "refused") return t("call.tile.refused");
  if (state === "away") return t("call.tile.away");
  return t(tie?.state === "failed" ? "call.tile.failed" : tie?.state === "broken" ? "call.state.broken" : "call.state.connecting");
}

/** Shows a picture, which fills the screen on its button or a double click. `name` says whose it is; with null it can't fill it. */
export function Frame({ look, name, children }: { look: string; name: string | null; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const told = () => setFull(document.fullscreenElement !== null && document.fullscreenElement === frame.current);
    document.addEventListener("fullscreenchange", told);
    return () => document.removeEventListener("fullscreenchange", told);
  }, []);
  const toggle = () => void (isFull ? document.exitFullscreen() : frame.current?.requestFullscreen())?.catch(() => undefined);
  const canFill = name !== null && document.fullscreenEnabled;
  return (
    <div ref={frame} className={look} onDoubleClick={canFill ? toggle : undefined}>
      {children}
      {canFill && <span className="call-full"><IconButton icon={isFull ? "close" : "expand"} label={t(isFull ? "call.full.end" : "call.full", { name })} onClick={toggle} /></span>}
    </div>
  );
}

/** Returns the picture of a participant's camera; null if the camera is off, whatever still comes. */
export const cameraOf = (one: Participant, tie: Tie | undefined): MediaStream | null => (one.sends.includes("camera") ? tie?.camera ?? null : null);

export function Tile({ call, one, group, isSmall }: { call: Call; one: Participant; group: Group | undefined; isSmall: boolean }) {
  const name = usePersonName(one.account, group);
  const face = useStore(contacts, (table) => table.get(one.account)?.picture);
  const tie = useStore(seat, ({ ties }) => ties.get(one.device));
  const speaks = useStore(speaking, (all) => all.has(one.device));
  const said = isolatedName(name);
  const camera = cameraOf(one, tie);
  const words = call.group ? tileWords(one, tie) : null;
  const isMuted = tie?.state === "connected" && !one.sends.includes("microphone");
  const isMarked = call.group || (isMuted && camera !== null);
  return (
    <li className={speaks && !isMuted ? "call-tile call-speaks" : "call-tile"}>
      <Frame look="call-frame" name={camera !== null && !isSmall ? said : null}>
        {camera !== null ? <Picture stream={camera} label={t("call.picture.of", { name: said })} look="call-film" /> : <Avatar id={one.account} name={name} picture={face} />}
        {isMarked && (
          <p className="call-mark">
            {isMuted && <span className="call-mark-icon" title={t("call.muted", { name: said })}><Icon name="micOff" size={16} /><span className="hidden-words">{t("call.muted", { name: said })}</span></span>}
            {call.group && <span className="cut"><Name>{name}</Name></span>}
            {words !== null && <span className="call-mark-words">{words}</span>}
          </p>
        )}
      </Frame>
      {speaks && !isMuted && <span className="hidden-words">{t("call.speaks", { name: said })}</span>}
    </li>
  );
}
