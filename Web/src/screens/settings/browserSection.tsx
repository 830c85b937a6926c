// How this browser shows the page, and which browsers are logged in.
import { useState } from "react";
import { Button } from "../../parts/button";
import { Check } from "../../parts/field";
import { LanguageChoice } from "../../parts/languageChoice";
import { later } from "../../parts/later";
import { NotificationChoice } from "../../parts/notificationChoice";
import { browser, setBrowser } from "../../store/browser";
import { useWhole } from "../../store/store";
import { t } from "../../text/t";
import { Logins } from "./logins";

const DeviceDialog = later(() => import("../sides/calls").then((side) => side.DeviceDialog), { close: ({ onClose }) => onClose() });

const themes = ["system", "light", "dark"] as const;

export function BrowserSection() {
  const { theme, ownAtEnd, enterSends } = useWhole(browser);
  const [devices, setDevices] = useState(false);
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
      <section className="section" aria-labelledby="browser-writing">
        <h2 id="browser-writing">{t("settings.writing")}</h2>
        <Check checked={ownAtEnd} onChange={(on) => setBrowser({ ownAtEnd: on })}>{t("more.ownAtEnd")}</Check>
        <Check checked={enterSends} onChange={(on) => setBrowser({ enterSends: on })}>
          {t("more.enterSends")}{!enterSends && <span className="field-hint block">{t("settings.enterOff")}</span>}
        </Check>
      </section>
      <section className="section" aria-labelledby="browser-notify">
        <h2 id="browser-notify">{t("settings.notifications")}</h2>
        <NotificationChoice />
      </section>
      <section className="section" aria-labelledby="browser-calls">
        <h2 id="browser-calls">{t("nav.calls")}</h2>
        <div className="row"><Button icon="settings" onClick={() => setDevices(true)}>{t("call.devices")}</Button></div>
      </section>
      {devices && <DeviceDialog onClose={() => setDevices(false)} />}
      <Logins />
    </>
  );
}
