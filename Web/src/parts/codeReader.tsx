// Reads another person's code: with the camera, or out of a picture. What it means is shown before anything is done.
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { close, lookThrough, openCamera, watch } from "../codes/look";
import { wording } from "../text/errors";
import { t } from "../text/t";
import { problemOf } from "../wire/devices";
import type { DeviceProblem } from "../wire/devices";
import { Refused, asRefused } from "../wire/refusal";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Note } from "./small";

type Wanted = (text: string) => boolean;

/** What the camera sees, until a code that is wanted is in it. It stops when the window is closed or hidden. */
function Camera({ stream, isWanted, onText, onProblem, onClose }: {
  stream: MediaStream; isWanted: Wanted; onText: (text: string) => void; onProblem: (error: unknown) => void; onClose: () => void;
}) {
  const video = useRef<HTMLVideoElement>(null);
  const [isOther, setOther] = useState(false);
  // A camera that faces the user is shown mirrored, so that movements to the left go to the left on the screen.
  const isMirror = stream.getVideoTracks()[0]?.getSettings().facingMode !== "environment";
  const now = useRef({ isWanted, onText, onProblem, onClose });
  now.current = { isWanted, onText, onProblem, onClose };
  useEffect(() => {
    const element = video.current;
    if (element === null) return;
    const ended = new AbortController();
    element.srcObject = stream;
    element.play().catch(() => undefined);
    const hidden = () => {
      if (document.visibilityState === "hidden") now.current.onClose();
    };
    const gone = () => now.current.onProblem(new DOMException("", "NotReadableError"));
    document.addEventListener("visibilitychange", hidden);
    stream.getVideoTracks()[0]?.addEventListener("ended", gone);
    watch(element, ended.signal, (texts) => {
      const text = texts.find(now.current.isWanted);
      if (text === undefined) setOther(true);
      else now.current.onText(text);
    }).catch((error: unknown) => ended.signal.aborted || now.current.onProblem(error));
    return () => {
      ended.abort();
      document.removeEventListener("visibilitychange", hidden);
      stream.getVideoTracks()[0]?.removeEventListener("ended", gone);
      element.srcObject = null;
      close(stream);
    };
  }, [stream]);
  return createPortal(
    <Dialog title={t("code.camera")} onClose={onClose} foot={<Button onClick={onClose}>{t("code.stop")}</Button>}>
      <video ref={video} className={isMirror ? "camera camera-mirror" : "camera"} aria-label={t("code.seen")} muted playsInline />
      <p className="small quiet" role="status">{t(isOther ? "code.other" : "code.hold")}</p>
    </Dialog>,
    document.body,
  );
}

/** Two buttons: the camera, and a picture of the code for those without one. `onText` gets the first code that is wanted. */
export function CodeReader({ isWanted, onText }: { isWanted: Wanted; onText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [doing, setDoing] = useState<"asking" | "looking" | null>(null);
  const [stream, setStream] = useState<MediaStream | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const pressed = useRef<HTMLButtonElement | null>(null);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);

  // A button that was busy has lost the focus: it gets it back, unless there is something to do elsewhere.
  useEffect(() => {
    if (doing === null && stream === null && document.activeElement === document.body) pressed.current?.focus();
  }, [doing, stream]);

  const fail = (error: unknown) => {
    const device: DeviceProblem = problemOf(error);
    setStream(null);
    setProblem(error instanceof Refused ? wording(error) : t(`code.${device}`));
  };
  const look = () => {
    setProblem(null);
    setDoing("asking");
    openCamera().then((opened) => {
      // The user may have gone on while the browser asked.
      if (!isHere.current || document.visibilityState === "hidden") return close(opened);
      setStream(opened);
    }, (error: unknown) => isHere.current && fail(error)).finally(() => isHere.current && setDoing(null));
  };
  const choose = (file: File | undefined) => {
    if (file === undefined) return;
    setProblem(null);
    setDoing("looking");
    lookThrough(file, isWanted).then((text) => {
      if (!isHere.current) return;
      if (text === null) setProblem(t("code.none"));
      else onText(text);
    }, (error: unknown) => isHere.current && setProblem(error instanceof Refused ? wording(asRefused(error)) : t("picture.unreadable"))).finally(() => isHere.current && setDoing(null));
  };

  return (
    <div className="column">
      <div className="row wrapping">
        <Button
          icon="video" busy={doing === "asking"} disabled={doing !== null}
          onClick={(event) => {
            pressed.current = event.currentTarget;
            look();
          }}
        >
          {t("code.useCamera")}
        </Button>
        <Button
          icon="image" busy={doing === "looking"} disabled={doing !== null}
          onClick={(event) => {
            pressed.current = event.currentTarget;
            input.current?.click();
          }}
        >
          {t("code.choosePicture")}
        </Button>
      </div>
      <input
        ref={input} type="file" accept="image/*" hidden
        onChange={(event) => {
          choose(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      <div aria-live="polite">{doing === "asking" && <p className="small quiet">{t("code.waits")}</p>}</div>
      {problem !== null && <Note look="warn" alert>{problem}</Note>}
      {stream !== null && (
        <Camera
          stream={stream} isWanted={isWanted} onProblem={fail} onClose={() => setStream(null)}
          onText={(text) => {
            setStream(null);
            onText(text);
          }}
        />
      )}
    </div>
  );
}
