// Records a voice note in place of the composer's line: level, pause, listen, discard, send.
import { useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../../parts/button";
import { Player } from "../../parts/player";
import { Note } from "../../parts/small";
import { Recorder, problemOf } from "../../sound/recorder";
import type { RecorderProblem } from "../../sound/recorder";
import { LONGEST } from "../../sound/wav";
import { duration } from "../../text/format";
import { t } from "../../text/t";

/** How many of the last levels stand beside each other. */
const BARS = 40;

/** The last levels as bars, the newest at the end. They are drawn without React: twenty times a second. */
function Level({ bars }: { bars: React.RefObject<HTMLDivElement> }) {
  return (
    <div className="voice-level" ref={bars} role="img" aria-label={t("voice.level")}>
      {Array.from({ length: BARS }, (_, index) => <span key={index} />)}
    </div>
  );
}

function draw(bars: HTMLDivElement | null, levels: readonly number[]): void {
  const all = bars?.children ?? [];
  for (let index = 0; index < all.length; index += 1) {
    const level = levels[levels.length - all.length + index] ?? 0;
    // Speech is quiet most of the time: the root shows it.
    (all[index] as HTMLElement).style.setProperty("--level", String(Math.sqrt(level)));
  }
}

/** A name that files may have: `Voice note 2026-11-23 14.05.wav`. */
function fileName(now = new Date()): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return t("voice.file", { time: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())} ${two(now.getHours())}.${two(now.getMinutes())}` });
}

export default function VoiceNote({ onEnd }: { onEnd: (note: File | null) => void }) {
  const recorder = useRef<Recorder | null>(null);
  const bars = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const levels = useRef<number[]>([]);
  const [state, setState] = useState<"asking" | "recording" | "paused" | "full">("asking");
  const [seconds, setSeconds] = useState(0);
  const [problem, setProblem] = useState<RecorderProblem | null>(null);
  const [heard, setHeard] = useState<string | null>(null);

  useEffect(() => {
    let ended = false;
    Recorder.start({
      level(level, at) {
        levels.current = [...levels.current.slice(1 - BARS), level];
        draw(bars.current, levels.current);
        setSeconds(Math.floor(at));
      },
      full: () => setState("full"),
    }).then((made) => {
      if (ended) return made.close();
      recorder.current = made;
      setState("recording");
    }, (error: unknown) => ended || setProblem(problemOf(error)));
    return () => {
      ended = true;
      recorder.current?.close();
      recorder.current = null;
    };
  }, []);
  // What is paused can be listened to.
  const stands = state === "paused" || state === "full";
  useEffect(() => {
    if (!stands || recorder.current === null) return;
    const address = URL.createObjectURL(recorder.current.file(fileName()));
    setHeard(address);
    return () => {
      setHeard(null);
      URL.revokeObjectURL(address);
    };
  }, [stands]);
  useEffect(() => frame.current?.querySelector<HTMLElement>("[data-turn]")?.focus(), [state]);

  const turn = () => {
    const now = recorder.current;
    if (now === null) return;
    const [change, next] = state === "recording" ? [now.pause(), "paused" as const] : [now.resume(), "recording" as const];
    change.then(() => setState(next), () => setProblem("busy"));
  };
  const send = () => onEnd(recorder.current?.file(fileName()) ?? null);
  if (problem !== null) {
    return (
      <div className="voice" role="group" aria-label={t("voice.title")}>
        <div className="grow"><Note look="warn" alert>{t(`voice.${problem}`)}</Note></div>
        <Button onClick={() => onEnd(null)}>{t("common.close")}</Button>
      </div>
    );
  }
  const time = { at: duration(seconds), length: duration(LONGEST) };
  return (
    <div
      className="voice" ref={frame} role="group" aria-label={t("voice.title")}
      onKeyDown={(event) => {
        // Escape would leave the chat, and the note with it.
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        if (state === "recording") turn();
      }}
    >
      <IconButton icon="delete" label={t("voice.discard")} onClick={() => onEnd(null)} />
      {state === "asking" && <p className="grow small quiet">{t("voice.waits")}</p>}
      {state === "recording" && <Level bars={bars} />}
      {stands && heard !== null && <div className="grow"><Player source={heard} name={t("voice.listen")} length={seconds} /></div>}
      {state !== "asking" && !stands && <span className="voice-time numbers"><span className="voice-lamp" aria-hidden="true" /><span aria-hidden="true">{time.at}</span></span>}
      <span className="hidden-words" role="status">{state === "recording" ? t("voice.recording", { at: duration(0), length: time.length }) : stands ? t("voice.paused", time) : ""}</span>
      {state !== "full" && <IconButton data-turn="" icon={state === "recording" ? "pause" : "mic"} label={t(state === "recording" ? "voice.pause" : "voice.resume")} disabled={state === "asking"} onClick={turn} />}
      <IconButton {...(state === "full" ? { "data-turn": "" } : {})} icon="send" look="primary" label={t("voice.send")} disabled={state === "asking" || seconds === 0} onClick={send} />
      {state === "full" && <p className="voice-full small quiet">{t("voice.full", { minutes: LONGEST / 60 })}</p>}
    </div>
  );
}
