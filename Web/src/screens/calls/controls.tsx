// The buttons of a call.
import { useWhole } from "../../base/store";
import { activeCall } from "../../call/activeCall";
import { seat } from "../../call/seat";
import type { Call } from "../../contract/types";
import { Button } from "../../parts/button";
import { t } from "../../text/t";

export function Controls({ call, isSmall, onDevices }: { call: Call; isSmall: boolean; onDevices: () => void }) {
  const { sends, deaf } = useWhole(seat);
  const [speaks, films, shows] = [sends.includes("microphone"), sends.includes("camera"), sends.includes("screen")];
  return (
    <div className="call-controls">
      <Button icon={speaks ? "mic" : "micOff"} aria-pressed={!speaks} aria-keyshortcuts="Alt+M" onClick={() => activeCall.mute(speaks)}>{t(speaks ? "call.voice" : "call.voice.muted")}</Button>
      {!isSmall && <Button icon={deaf ? "speakerOff" : "speaker"} aria-pressed={!deaf} aria-keyshortcuts="Alt+L" onClick={() => activeCall.deafen(!deaf)}>{t("call.hear")}</Button>}
      <Button icon={films ? "video" : "videoOff"} aria-pressed={films} aria-keyshortcuts="Alt+V" onClick={() => (films ? activeCall.turnOff("camera") : void activeCall.turnOn("camera"))}>{t("call.camera")}</Button>
      {!isSmall && <Button icon="screen" aria-keyshortcuts="Alt+S" onClick={() => (shows ? activeCall.turnOff("screen") : void activeCall.share())}>{t(shows ? "call.screen.stop" : "call.screen")}</Button>}
      {!isSmall && <Button icon="settings" onClick={onDevices}>{t("call.devices")}</Button>}
      <Button look="danger" icon="call" aria-keyshortcuts="Alt+H" onClick={() => void activeCall.hangUp(call.id)}>{t(call.group ? "call.leave" : "call.hangup")}</Button>
    </div>
  );
}
