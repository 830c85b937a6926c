import { useState } from "react";
import { useWhole } from "../base/store";
import { browser, setBrowser } from "../store/browser";
import { askToNotify, mayShow } from "../store/notifications";
import { chime } from "../store/sound";
import { t } from "../text/t";
import { Check } from "./field";
import { Note } from "./small";

/** Chooses whether this browser announces messages, and whether it shows their text. */
export function NotificationChoice() {
  const { notifications, notificationText, sound } = useWhole(browser);
  const [refused, setRefused] = useState(false);
  const choose = (on: boolean) => {
    if (!on) return setBrowser({ notifications: false });
    void askToNotify().then((given) => {
      setRefused(!given);
      setBrowser({ notifications: given });
    });
  };
  return (
    <div className="column">
      <Check checked={notifications && mayShow()} onChange={choose}>{t("notify.on")}</Check>
      {notifications && <Check checked={notificationText} onChange={(on) => setBrowser({ notificationText: on })}>{t("notify.text")}</Check>}
      <Check
        checked={sound}
        onChange={(on) => {
          setBrowser({ sound: on });
          if (on) chime();
        }}
      >
        {t("notify.sound")}
      </Check>
      <p className="field-hint">{t("notify.more")}</p>
      {refused && <Note look="warn" alert>{t("notify.refused")}</Note>}
    </div>
  );
}
