// Cuts a chosen picture to a square. The user sees what others will see before it is saved.
import { useEffect, useRef, useState } from "react";
import type { PointerEvent } from "react";
import { createPortal } from "react-dom";
import { t } from "../text/t";
import type { Key } from "../text/t";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Note, Spinner } from "./small";

/** Side of the square that is sent, in pixels: the daemon makes a smaller JPEG of it. */
const SIDE = 512;
/** Side of the square on the screen, in pixels. */
const SHOWN = 256;
/** How much of a picture may be cut away: at most this many times larger. */
const LARGEST = 4;

/** Which square is cut out: how far the picture is enlarged, and the square's position within what is left over, from 0 to 1. */
interface Cut {
  zoom: number;
  x: number;
  y: number;
}

/** How much of the picture lies outside of a square of that side, in its pixels. */
function left(picture: ImageBitmap, cut: Cut, side: number): { scale: number; x: number; y: number } {
  const scale = (side / Math.min(picture.width, picture.height)) * cut.zoom;
  return { scale, x: picture.width * scale - side, y: picture.height * scale - side };
}

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap, cut: Cut): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const side = canvas.width;
  const over = left(picture, cut, side);
  context.imageSmoothingQuality = "high";
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, side, side);
  context.drawImage(picture, -over.x * cut.x, -over.y * cut.y, picture.width * over.scale, picture.height * over.scale);
}

async function square(picture: ImageBitmap, cut: Cut): Promise<File | null> {
  const canvas = document.createElement("canvas");
  canvas.width = SIDE;
  canvas.height = SIDE;
  draw(canvas, picture, cut);
  const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  return made === null ? null : new File([made], "picture.png", { type: "image/png" });
}

function Slider({ label, value, least = 0, most = 1, onChange }: { label: Key; value: number; least?: number; most?: number; onChange: (value: number) => void }) {
  return (
    <label className="slider">
      <span className="field-label">{t(label)}</span>
      <input type="range" min={least} max={most} step="any" value={value} onChange={(event) => onChange(Number(event.target.value))} />
    </label>
  );
}

/** Asks for the square of a picture; `onDone` gets it as a file. */
export function SquareDialog({ file, onDone, onClose }: { file: File; onDone: (picture: File) => void; onClose: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [picture, setPicture] = useState<ImageBitmap | null>(null);
  const [isBroken, setBroken] = useState(false);
  const [cut, setCut] = useState<Cut>({ zoom: 1, x: 0.5, y: 0.5 });
  const from = useRef<{ x: number; y: number; cut: Cut } | null>(null);

  useEffect(() => {
    let isHere = true;
    createImageBitmap(file).then((made) => {
      if (isHere) setPicture(made);
      else made.close();
    }, () => setBroken(true));
    return () => {
      isHere = false;
    };
  }, [file]);
  useEffect(() => () => picture?.close(), [picture]);
  useEffect(() => {
    if (canvas.current !== null && picture !== null) draw(canvas.current, picture, cut);
  }, [picture, cut]);

  const change = (values: Partial<Cut>) => setCut((now) => ({ ...now, ...values }));
  const move = (event: PointerEvent) => {
    const start = from.current;
    if (start === null || picture === null) return;
    const over = left(picture, start.cut, SHOWN);
    const moved = (now: number, by: number, room: number) => (room < 1 ? now : Math.min(1, Math.max(0, now - by / room)));
    change({ x: moved(start.cut.x, event.clientX - start.x, over.x), y: moved(start.cut.y, event.clientY - start.y, over.y) });
  };
  const done = () => {
    if (picture === null) return;
    void square(picture, cut).then((made) => (made === null ? setBroken(true) : onDone(made)));
  };
  const over = picture === null ? null : left(picture, cut, SHOWN);
  return createPortal(
    <Dialog
      title={t("picture.cut")} onClose={onClose} onSubmit={done}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look="primary" type="submit" disabled={picture === null}>{t("picture.take")}</Button>
      </>}
    >
      {isBroken ? <Note look="danger" alert>{t("picture.unreadable")}</Note> : picture === null || over === null ? <Spinner /> : (
        <>
          <p className="small quiet">{t("picture.cut.more")}</p>
          <div
            className="square-frame"
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              from.current = { x: event.clientX, y: event.clientY, cut };
            }}
            onPointerMove={move}
            onPointerUp={() => {
              from.current = null;
            }}
            onPointerCancel={() => {
              from.current = null;
            }}
          >
            <canvas ref={canvas} width={SIDE} height={SIDE} role="img" aria-label={t("picture.chosen")} />
          </div>
          <Slider label="picture.zoom" least={1} most={LARGEST} value={cut.zoom} onChange={(zoom) => change({ zoom })} />
          {over.x >= 1 && <Slider label="picture.sideways" value={cut.x} onChange={(x) => change({ x })} />}
          {over.y >= 1 && <Slider label="picture.upDown" value={cut.y} onChange={(y) => change({ y })} />}
        </>
      )}
    </Dialog>,
    document.body,
  );
}
