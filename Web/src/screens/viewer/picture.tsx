import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent, PointerEvent } from "react";
import { IconButton } from "../../parts/button";
import { Note, Spinner } from "../../parts/small";
import { visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { fileAddress, thumbAddress } from "./viewing";
import type { Shown } from "./viewing";

/** How much larger than the window a picture can be shown, step by step. */
const ZOOMS = [1, 1.5, 2, 3, 4, 6, 8] as const;
/** The zoom of a picture after a click. */
const CLOSE_UP = 3;
/** A pointer that moves further than this drags the picture instead of clicking it, in pixels. */
const DRAG = 5;
/** How far an arrow moves a picture that is larger than the window, in pixels. */
const STEP = 80;

/** Sizes a picture to its stage, and keeps its middle where it is when it grows. */
function useFit(zoom: number, source: string) {
  const stage = useRef<HTMLDivElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const before = useRef(1);
  const fit = useCallback(() => {
    const area = stage.current;
    const picture = image.current;
    if (area === null || picture === null || picture.naturalWidth === 0) return;
    const scale = Math.min(area.clientWidth / picture.naturalWidth, area.clientHeight / picture.naturalHeight, 1);
    picture.style.setProperty("inline-size", `${Math.floor(picture.naturalWidth * scale * zoom)}px`);
    const growth = zoom / before.current;
    before.current = zoom;
    if (growth === 1) return;
    area.scrollTo((area.scrollLeft + area.clientWidth / 2) * growth - area.clientWidth / 2, (area.scrollTop + area.clientHeight / 2) * growth - area.clientHeight / 2);
  }, [zoom]);
  useLayoutEffect(fit, [fit, source]);
  useEffect(() => {
    const watcher = new ResizeObserver(fit);
    if (stage.current !== null) watcher.observe(stage.current);
    return () => watcher.disconnect();
  }, [fit]);
  return { stage, image, fit };
}

/** A picture: first a small one that was made here, the original once a person has asked for it. */
export function Picture({ item }: { item: Shown }) {
  const [zoom, setZoom] = useState<number>(1);
  const [wanted, setWanted] = useState<"preview" | "original">("preview");
  const [state, setState] = useState<"loading" | "shown" | "noPreview" | "noOriginal">("loading");
  const small = thumbAddress(item.transfer, item.entry, 1280);
  const large = fileAddress(item.transfer, item.entry);
  const [source, setSource] = useState(small);
  const { stage, image, fit } = useFit(zoom, source);
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const name = visibleName(item.name);

  // The original takes the place of the small one when it is there.
  useEffect(() => {
    if (wanted === "preview") return;
    const loader = new Image();
    loader.src = large;
    let ended = false;
    loader.decode().then(() => ended || setSource(large), () => ended || setState("noOriginal"));
    return () => {
      ended = true;
    };
  }, [wanted, large]);

  const zoomTo = (next: number) => {
    setZoom(next);
    if (next > 1) setWanted("original");
  };
  const larger = ZOOMS.find((one) => one > zoom);
  const smaller = [...ZOOMS].reverse().find((one) => one < zoom);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const area = stage.current;
    const arrows: Record<string, readonly [number, number]> = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };
    const by = arrows[event.key];
    if (zoom > 1 && by !== undefined) area?.scrollBy(by[0], by[1]);
    else if (event.key === "+" || event.key === "=") zoomTo(larger ?? zoom);
    else if (event.key === "-") zoomTo(smaller ?? 1);
    else if (event.key === "0") zoomTo(1);
    else return;
    event.preventDefault();
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || event.pointerType !== "mouse") return;
    drag.current = { x: event.clientX, y: event.clientY, moved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    const from = drag.current;
    if (from === null || (!from.moved && Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG)) return;
    stage.current?.scrollBy(from.x - event.clientX, from.y - event.clientY);
    drag.current = { x: event.clientX, y: event.clientY, moved: true };
  };
  const onPointerUp = () => {
    if (drag.current !== null && !drag.current.moved) zoomTo(zoom > 1 ? 1 : CLOSE_UP);
    drag.current = null;
  };

  if (state === "noPreview") return <div className="viewer-note"><Note look="warn">{t("viewer.cannotShow")}</Note></div>;
  return (
    <div className="viewer-picture" onKeyDown={onKeyDown}>
      <div
        ref={stage} className="viewer-stage" data-zoomed={zoom > 1} tabIndex={0} role="group" aria-label={name}
        onPointerDown={onPointerDown} onPointerMove={onPointerMove} onPointerUp={onPointerUp} onPointerCancel={() => {
          drag.current = null;
        }}
      >
        {state === "loading" && <Spinner />}
        <img
          ref={image} src={source} alt={name} draggable={false} hidden={state === "loading"}
          onLoad={() => {
            setState((now) => (now === "loading" ? "shown" : now));
            requestAnimationFrame(fit);
          }}
          onError={() => setState("noPreview")}
        />
      </div>
      {state === "noOriginal" && <div className="viewer-note"><Note look="warn">{t("viewer.noOriginal")}</Note></div>}
      <div className="viewer-tools" role="group" aria-label={t("viewer.size")}>
        <IconButton icon="minus" label={t("viewer.smaller")} disabled={smaller === undefined} onClick={() => zoomTo(smaller ?? 1)} />
        <button type="button" className="viewer-button numbers" disabled={zoom === 1} onClick={() => zoomTo(1)}>{zoom === 1 ? t("viewer.fits") : t("viewer.fit", { zoom })}</button>
        <IconButton icon="add" label={t("viewer.larger")} disabled={larger === undefined} onClick={() => zoomTo(larger ?? zoom)} />
        <button type="button" className="viewer-button" aria-pressed={wanted === "original"} disabled={wanted === "original"} onClick={() => setWanted("original")}>{t("viewer.original")}</button>
      </div>
    </div>
  );
}
