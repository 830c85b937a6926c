// Plays a sound with a bar to seek in it. One plays at a time.
import { useEffect, useRef, useState } from "react";
import { Store, useWhole } from "../base/store";
import { duration } from "../text/format";
import { t } from "../text/t";
import { IconButton } from "./button";

/** How fast it plays, one after another. */
const RATES = [1, 1.5, 2] as const;
/** How finely the bar is set by its keys, in seconds. */
const STEP = 1;

let playing: HTMLAudioElement | null = null;
/** Whoever listens faster does so with the next sound, too. */
const speed = new Store<number>(1);

/** Bars whose heights are between 0 and 1, those that were played apart. They are drawn with the colours around them, so they needn't be drawn again. */
function Wave({ heights, played }: { heights: readonly number[]; played: number }) {
  const bars = (from: number, to: number) => heights.slice(from, to).map((height, index) => `M${4 * (from + index) + 2} ${15 - 13 * height}v${2 + 26 * height}`).join("");
  const past = Math.round(played * heights.length);
  return (
    <svg className="player-wave" viewBox={`0 0 ${4 * heights.length} 32`} preserveAspectRatio="none" aria-hidden="true">
      <path className="player-past" d={bars(0, past)} />
      <path d={bars(past, heights.length)} />
    </svg>
  );
}

/**
 * @param length how long it lasts as far as is known before it is fetched, in seconds
 * @param wave how loud it is from its beginning to its end
 */
export function Player({ source, name, length, wave = null }: { source: string; name: string; length: number | null; wave?: readonly number[] | null }) {
  const sound = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [measured, setMeasured] = useState<number | null>(null);
  const rate = useWhole(speed);
  const [broken, setBroken] = useState(false);
  const whole = measured ?? length;

  useEffect(() => {
    if (sound.current !== null) sound.current.playbackRate = rate;
  }, [rate, source]);
  useEffect(() => () => {
    if (playing === sound.current) playing = null;
  }, []);
  const toggle = () => {
    const element = sound.current;
    if (element === null) return;
    if (!element.paused) return element.pause();
    if (playing !== element) playing?.pause();
    playing = element;
    element.play().catch(() => undefined);
  };
  const seek = (to: number) => {
    setAt(to);
    if (sound.current !== null) sound.current.currentTime = to;
  };
  const faster = () => speed.set(RATES[(RATES.findIndex((one) => one === rate) + 1) % RATES.length] ?? 1);
  if (broken) return <p className="small quiet">{t("viewer.cannotPlay")}</p>;
  return (
    <div className="player" role="group" aria-label={name}>
      <audio
        ref={sound} src={source} preload={length === null ? "metadata" : "none"} onPlay={() => setPlaying(true)} onPause={() => setPlaying(false)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)} onError={() => setBroken(true)}
        onDurationChange={(event) => {
          if (Number.isFinite(event.currentTarget.duration)) setMeasured(event.currentTarget.duration);
        }}
        onEnded={() => seek(0)}
      />
      <IconButton icon={isPlaying ? "pause" : "play"} look="primary" label={t(isPlaying ? "player.pause" : "player.play", { name })} onClick={toggle} />
      <span className={wave === null ? "player-track" : "player-track player-track-wave"}>
        {wave !== null && <Wave heights={wave} played={whole === null || whole === 0 ? 0 : at / whole} />}
        <input
          className="player-bar" type="range" min={0} max={whole ?? 0} step={whole !== null && whole > 10 * STEP ? STEP : "any"} value={Math.min(at, whole ?? 0)}
          disabled={whole === null} aria-label={t("player.seek", { name })} aria-valuetext={t("player.at", { at: duration(at), length: duration(whole ?? 0) })}
          onChange={(event) => seek(Number(event.target.value))}
        />
      </span>
      <span className="player-time numbers">{duration(isPlaying || at > 0 ? at : whole ?? 0)}</span>
      <button type="button" className="player-rate numbers" aria-label={t("player.rate", { rate })} title={t("player.rate", { rate })} onClick={faster}>{t("player.times", { rate })}</button>
    </div>
  );
}
