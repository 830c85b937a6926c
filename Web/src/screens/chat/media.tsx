// Files of a message that can be looked at or listened to in place.
import { useEffect, useRef, useState } from "react";
import type { Attachment } from "../../contract/types";
import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { Player } from "../../parts/player";
import { Wishes } from "../../parts/wishes";
import { LARGEST, barsOf } from "../../sound/wave";
import { visibleName } from "../../text/safe";
import { duration } from "../../text/format";
import { t } from "../../text/t";
import { wantStill } from "../viewer/stills";
import { fileAddress, folder, showOfChat, thumbAddress } from "../viewer/viewing";
import { useDoing } from "./doing";

/** How wide the pictures are that were drawn, by their transfer, as a share of their height: they keep their room when they are drawn again. */
const shapes = new Map<string, number>();
/** Longer and wider pictures are cut at their edges, as shares of the height. */
const [SLIM, BROAD] = [3 / 4, 5 / 2];

/** Gives a picture its room, by its shape or what is known of it. */
function shape(drawing: HTMLElement | null, transfer: string, width = 0, height = 0): void {
  if (width > 0 && height > 0) shapes.set(transfer, Math.min(BROAD, Math.max(SLIM, width / height)));
  drawing?.style.setProperty("aspect-ratio", String(shapes.get(transfer) ?? 4 / 3));
}

/** Begins something once an element is nearly in sight. The result ends it. */
function nearlySeen(element: Element, begin: () => () => void): () => void {
  let end = () => undefined as void;
  const watcher = new IntersectionObserver((seen) => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
    watcher.disconnect();
    end = begin();
  }, { rootMargin: "300px" });
  watcher.observe(element);
  return () => {
    watcher.disconnect();
    end();
  };
}

/** What a video that is here shows, drawn by the browser once it is nearly in sight. */
export function Still({ transfer, name, onBroken }: { transfer: string; name: string; onBroken: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const broken = useRef(onBroken);
  broken.current = onBroken;
  useEffect(() => {
    const drawing = canvas.current;
    if (drawing === null) return;
    shape(drawing, transfer);
    return nearlySeen(drawing, () => wantStill(transfer, (still) => {
      if (still === null) return broken.current();
      drawing.width = still.width;
      drawing.height = still.height;
      drawing.getContext("2d")?.drawImage(still, 0, 0);
      shape(drawing, transfer, still.width, still.height);
    }));
  }, [transfer]);
  return <canvas ref={canvas} role="img" aria-label={name} />;
}

/** A picture, or a still of a video: small, and in the viewer on a click once all of it is here. */
export function Picture({ attachment, here, onBroken }: { attachment: Attachment; here: boolean; onBroken: () => void }) {
  const { conversation, own } = useDoing();
  const [broken, setBroken] = useState(false);
  // If the browser can't play a video, the preview from its offer is shown instead.
  const [unplayable, setUnplayable] = useState(false);
  const name = visibleName(attachment.name);
  const isFilm = attachment.kind === "video";
  const open = () => showOfChat(conversation, attachment.transfer, own);
  const fail = () => {
    setBroken(true);
    // What has only been offered may have no preview, and can be shown once it is here.
    if (here) onBroken();
  };
  if (broken) return here ? <div className="file-buttons"><Button icon={isFilm ? "play" : "eye"} onClick={open}>{t(isFilm ? "file.play" : "file.look")}</Button></div> : null;
  const image = isFilm && here && !unplayable ? <Still transfer={attachment.transfer} name={name} onBroken={() => setUnplayable(true)} /> : <img
    src={thumbAddress(attachment.transfer, null, 320)} alt={name} loading="lazy" decoding="async" onError={fail} ref={(image) => shape(image, attachment.transfer)}
    onLoad={({ currentTarget }) => shape(currentTarget, attachment.transfer, currentTarget.naturalWidth, currentTarget.naturalHeight)}
  />;
  if (!here) return <div className="picture-frame">{image}</div>;
  return (
    <button type="button" className="picture-frame" tabIndex={-1} onClick={open} aria-label={t(isFilm ? "file.play.name" : "file.look.name", { name })}>
      {image}
      {isFilm && <span className="picture-play" aria-hidden="true"><Icon name="play" size={24} /></span>}
      {isFilm && attachment.duration !== null && <span className="picture-length numbers" aria-hidden="true">{duration(attachment.duration / 1000)}</span>}
    </button>
  );
}

/** One after the other: each is fetched whole. */
const waves = new Wishes(async (transfer) => {
  const answer = await fetch(fileAddress(transfer));
  return answer.ok ? barsOf(await answer.arrayBuffer()) : null;
}, 1, 200);

/** A sound with its player. A voice note shows how loud it is, once it is nearly in sight. */
export function Sound({ attachment: { transfer, name, size, duration: lasts } }: { attachment: Attachment }) {
  const frame = useRef<HTMLDivElement>(null);
  const [wave, setWave] = useState<readonly number[] | null>(null);
  const hasWave = size <= LARGEST && /\.wav$/i.test(name);
  useEffect(() => (hasWave && frame.current !== null ? nearlySeen(frame.current, () => waves.want(transfer, setWave)) : undefined), [transfer, hasWave]);
  return <div ref={frame}><Player source={fileAddress(transfer)} name={visibleName(name)} length={lasts === null ? null : lasts / 1000} wave={wave} /></div>;
}

export const FolderButton = ({ attachment }: { attachment: Attachment }) => (
  <div className="file-buttons">
    <Button icon="folder" onClick={() => folder.set({ transfer: attachment.transfer, name: attachment.name })}>{t("folder.open")}</Button>
  </div>
);
