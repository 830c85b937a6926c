// Microphone, camera and loudspeaker of this browser, and which of them the user has chosen.
import { Store } from "../base/store";
import type { Source } from "./peer";
import { captureFor } from "./sizes";
import type { Size } from "./sizes";

interface Choice {
  microphone: string;
  camera: string;
  loudspeaker: string;
  /** Audio as the microphone gives it: without echo cancellation and noise suppression. */
  original: boolean;
}

const KEY = "kibo.devices";

function read(): Choice {
  const usual = { microphone: "", camera: "", loudspeaker: "", original: false };
  try {
    return { ...usual, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Choice>) };
  } catch {
    return usual;
  }
}

export const chosen = new Store<Choice>(read());

export function choose(values: Partial<Choice>): void {
  chosen.update((now) => ({ ...now, ...values }));
  localStorage.setItem(KEY, JSON.stringify(chosen.get()));
}

/** Opens a microphone or a camera. If the chosen one is not there any more, the browser takes another. */
export async function open(source: "microphone" | "camera", size?: Size): Promise<MediaStreamTrack> {
  const { microphone, camera, original } = chosen.get();
  const stream = await navigator.mediaDevices.getUserMedia(source === "microphone"
    ? { audio: { echoCancellation: !original, noiseSuppression: !original, autoGainControl: !original, deviceId: microphone } }
    : { video: { ...(size === undefined ? {} : captureFor(size)), deviceId: camera } });
  const [track] = stream.getTracks();
  if (track === undefined) throw new DOMException("no track", "NotFoundError");
  return track;
}

/** Whether the browser opens all the wanted devices without asking the user. */
export async function mayOpen(wanted: readonly Source[]): Promise<boolean> {
  const asked = wanted.filter((source) => source !== "screen").map((source) => navigator.permissions.query({ name: source as PermissionName }));
  return Promise.all(asked).then((all) => all.every(({ state }) => state === "granted"), () => false);
}
