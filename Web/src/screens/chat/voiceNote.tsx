// Records a voice note in place of the composer's line: level, pause, listen, discard, send.
import { useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../../parts/button";
import { Player } from "../../parts/player";
import { Note } from "../../parts/small";
import { Recorder } from "../../sound/recorder";
import { LONGEST } from "../../sound/wav";
import { setVoiceDraft, voiceDrafts } from "../../store/drafts";
import { duration, fileTime } from "../../text/format";
import { t } from "../../text/t";
import { problemOf } from "../../wire/devices";
import type { DeviceProblem } from "../../wire/devices";

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
const fileName = (): string => t("voice.file", { time: fileTime(new Date()) });

/** @param conversation where the note stays if the chat is left before it was sent or discarded */
export default function VoiceNote({ conversation, onEnd }: { conversation: string; onEnd: (note: File | null) => void }) {
  const [recorder] = useState(() => voiceDrafts.get().get(conversation) ?? new Recorder());
  const bars = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const levels = useRef<number[]>([]);
  const [state, setState] = useState<"asking" | "recording" | "paused" | "full">(recorder.isFull ? "full" : recorder.seconds > 0 ? "paused" : "asking");
  const [seconds, setSeconds] = useState(Math.floor(recorder.seconds));
  const [problem, setProblem] = useState<DeviceProblem | null>(null);
  const [heard, setHeard] = useState<string | null>(null);

  useEffect(() => {
    let isLeft = false;
    recorder.news = {
      level(level, at) {
        levels.current = [...levels.current.slice(1 - BARS), level];
        draw(bars.current, levels.current);
        setSeconds(Math.floor(at));
      },
      full: () => setState("full"),
    };
    if (recorder.seconds === 0) {
      recorder.go().then(() => {
        if (isLeft) return;
        setVoiceDraft(conversation, recorder);
        setState("recording");
      }, (error: unknown) => isLeft || setProblem(problemOf(error)));
    }
    return () => {
      isLeft = true;
      recorder.news = null;
      recorder.rest();
      if (recorder.seconds === 0) setVoiceDraft(conversation, null);
    };
  }, [recorder, conversation]);
  // What is paused can be listened to.
  const stands = state === "paused" || state === "full";
  useEffect(() => {
    if (!stands) return;
    const address = URL.createObjectURL(recorder.file(fileName()));
    setHeard(address);
    return () => {
      setHeard(null);
      URL.revokeObjectURL(address);
    };
  }, [stands, recorder]);
  useEffect(() => frame.current?.querySelector<HTMLElement>("[data-turn]")?.focus(), [state]);

  const turn = () => {
    const [change, next] = state === "recording" ? [recorder.pause(), "paused" as const] : [recorder.go(), "recording" as const];
    change.then(() => setState(next), (error: unknown) => setProblem(problemOf(error)));
  };
  const end = (note: File | null) => {
    setVoiceDraft(conversation, null);
    onEnd(note);
  };
  if (problem !== null) {
    return (
      <div className="voice" role="group" aria-label={t("voice.title")}>
        <div className="grow"><Note look="warn" alert>{t(`voice.${problem}`)}</Note></div>
        <Button onClick={() => (recorder.seconds > 0 ? setProblem(null) : end(null))}>{t("common.close")}</Button>
      </div>
    );
  }
  const time = { at: duration(seconds), length: duration(LONGEST) };
  return (
    <div
      className="voice" ref={frame} role="group" aria-label={t("voice.title")}
      onKeyDown={(event) => {
        // Escape would leave the chat while it records.
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        if (state === "recording") turn();
      }}
    >
      <IconButton icon="delete" label={t("voice.discard")} onClick={() => end(null)} />
      {state === "asking" && <p className="grow small quiet">{t("voice.waits")}</p>}
      {state === "recording" && <Level bars={bars} />}
      {stands && heard !== null && <div className="grow"><Player source={heard} name={t("voice.listen")} length={seconds} /></div>}
      {state !== "asking" && !stands && <span className="voice-time numbers"><span className="voice-lamp" aria-hidden="true" /><span aria-hidden="true">{time.at}</span></span>}
      <span className="hidden-words" role="status">{state === "recording" ? t("voice.recording", { at: duration(0), length: time.length }) : stands ? t("voice.paused", time) : ""}</span>
      {state !== "full" && <IconButton data-turn="" icon={state === "recording" ? "pause" : "mic"} label={t(state === "recording" ? "voice.pause" : "voice.resume")} disabled={state === "asking"} onClick={turn} />}
      <IconButton {...(state === "full" ? { "data-turn": "" } : {})} icon="send" look="primary" label={t("voice.send")} disabled={state === "asking" || seconds === 0} onClick={() => end(recorder.file(fileName()))} />
      {state === "full" && <p className="voice-full small quiet">{t("voice.full", { minutes: LONGEST / 60 })}</p>}
    </div>
  );
}
