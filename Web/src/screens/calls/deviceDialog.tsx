import { useCallback, useEffect, useState } from "react";
import { useWhole } from "../../base/store";
import { activeCall } from "../../call/activeCall";
import { choose, chosen, open } from "../../call/devices";
import { playTone, watchLevel } from "../../call/levels";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Check } from "../../parts/field";
import { Select } from "../../parts/select";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { visibleLine } from "../../text/safe";
import { t } from "../../text/t";
import { problemOf } from "../../wire/devices";
import type { DeviceProblem } from "../../wire/devices";

const kinds = [["audioinput", "microphone"], ["audiooutput", "loudspeaker"], ["videoinput", "camera"]] as const;

/** From this level on, a microphone counts as heard. */
const HEARD = 0.15;

/** Shows whether the microphone hears anything, also while the voice is off in the call. */
function Level({ microphone, original, onOpen }: { microphone: string; original: boolean; onOpen: () => void }) {
  const [level, setLevel] = useState(0);
  const [wasHeard, setHeard] = useState(false);
  const [problem, setProblem] = useState<DeviceProblem | null>(null);
  useEffect(() => {
    let track: MediaStreamTrack | null = null;
    let end: (() => void) | null = null;
    let isShown = true;
    setProblem(null);
    setHeard(false);
    open("microphone").then((opened) => {
      if (!isShown) return opened.stop();
      track = opened;
      onOpen();
      end = watchLevel(opened, (now) => {
        setLevel(now);
        if (now >= HEARD) setHeard(true);
      });
    }, (error: unknown) => isShown && setProblem(problemOf(error)));
    return () => {
      isShown = false;
      end?.();
      track?.stop();
    };
  }, [microphone, original, onOpen]);
  if (problem !== null) return <Note look="warn">{t(`call.off.${problem}`, { device: t("call.device.microphone") })}</Note>;
  return (
    <div className="call-level">
      <meter className="call-meter" aria-label={t("call.level")} min={0} max={1} value={level} />
      <p className="field-hint" role="status">{t(wasHeard ? "call.level.heard" : "call.level.speak")}</p>
    </div>
  );
}

/** Lets the user choose microphone, camera and loudspeaker, also those that are plugged in meanwhile. */
export function DeviceDialog({ onClose }: { onClose: () => void }) {
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([]);
  const now = useWhole(chosen);
  const tone = useTask();
  // A browser names its devices once one of them was allowed.
  const read = useCallback(() => void navigator.mediaDevices.enumerateDevices().then(setDevices, () => undefined), []);
  useEffect(() => {
    read();
    navigator.mediaDevices.addEventListener("devicechange", read);
    return () => navigator.mediaDevices.removeEventListener("devicechange", read);
  }, [read]);
  const take = (source: "microphone" | "camera" | "loudspeaker", id: string) => {
    choose({ [source]: id });
    if (source === "loudspeaker") activeCall.setLoudspeaker();
    else activeCall.renew(source);
  };
  return (
    <Dialog title={t("call.devices")} onClose={onClose} foot={<Button look="primary" onClick={onClose}>{t("common.close")}</Button>}>
      {kinds.map(([kind, source]) => (
        <section key={kind} className="call-device">
          <Select
            label={t(`call.device.${source}`)} value={now[source]} onChange={(id) => take(source, id)}
            options={[
              { value: "", label: t("call.devices.usual") },
              ...devices.filter((one) => one.kind === kind && one.deviceId !== "" && one.deviceId !== "default").map((one) => ({ value: one.deviceId, label: visibleLine(one.label) })),
            ]}
          />
          {source === "microphone" && <Level microphone={now.microphone} original={now.original} onOpen={read} />}
          {source === "loudspeaker" && <div className="row"><Button icon="sound" busy={tone.busy} onClick={() => void tone.run(playTone)}>{t("call.tone")}</Button></div>}
        </section>
      ))}
      <Check
        checked={now.original}
        onChange={(original) => {
          choose({ original });
          activeCall.renew("microphone");
        }}
      >
        {t("call.original")}
      </Check>
    </Dialog>
  );
}
