// What each browser has for itself, in the sections of the settings to which it belongs.
import { useState } from "react";
import type { ComponentType } from "react";
import { useWhole } from "../../base/store";
import { Button } from "../../parts/button";
import { Check } from "../../parts/field";
import { LanguageChoice } from "../../parts/languageChoice";
import { later } from "../../parts/later";
import { NotificationChoice } from "../../parts/notificationChoice";
import { browser, setBrowser } from "../../store/browser";
import { t } from "../../text/t";

const DeviceDialog = later(() => import("../sides/calls").then((side) => side.DeviceDialog), { close: ({ onClose }) => onClose() });

const themes = ["system", "light", "dark"] as const;

function Notifications() {
  return (
    <section className="section" aria-labelledby="browser-notify">
      <h2 id="browser-notify">{t("settings.browser")}</h2>
      <NotificationChoice />
    </section>
  );
}

function Appearance() {
  const { theme, ownAtEnd } = useWhole(browser);
  return (
    <>
      <p className="small quiet">{t("settings.browser.more")}</p>
      <section className="section" aria-labelledby="browser-language">
        <h2 id="browser-language">{t("language.label")}</h2>
        <div className="row"><LanguageChoice /></div>
      </section>
      <section className="section" aria-labelledby="browser-theme">
        <h2 id="browser-theme">{t("more.theme")}</h2>
        <div className="row wrapping" role="group" aria-label={t("more.theme")}>
          {themes.map((one) => (
            <button key={one} type="button" className="tab" aria-pressed={one === theme} onClick={() => setBrowser({ theme: one })}>{t(`theme.${one}`)}</button>
          ))}
        </div>
      </section>
      <section className="section" aria-labelledby="browser-chats">
        <h2 id="browser-chats">{t("nav.chats")}</h2>
        <Check checked={ownAtEnd} onChange={(on) => setBrowser({ ownAtEnd: on })}>{t("more.ownAtEnd")}</Check>
      </section>
    </>
  );
}

function Writing() {
  const { enterSends } = useWhole(browser);
  return (
    <section className="section" aria-labelledby="browser-writing">
      <h2 id="browser-writing">{t("settings.writing")}</h2>
      <Check checked={enterSends} onChange={(on) => setBrowser({ enterSends: on })}>
        {t("more.enterSends")}<span className="field-hint block">{t(enterSends ? "settings.browser.more" : "settings.enterOff")}</span>
      </Check>
    </section>
  );
}

function Devices() {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="section" aria-labelledby="browser-calls">
      <h2 id="browser-calls">{t("settings.browser")}</h2>
      <div className="row"><Button icon="settings" onClick={() => setOpen(true)}>{t("call.devices")}</Button></div>
      {isOpen && <DeviceDialog onClose={() => setOpen(false)} />}
    </section>
  );
}

/** What stands above the daemon's settings of a section. */
export const ofBrowser: Readonly<Record<string, ComponentType>> = { notifications: Notifications, appearance: Appearance, messages: Writing, calls: Devices };
