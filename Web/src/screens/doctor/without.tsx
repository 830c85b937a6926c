// What the doctor can tell while the daemon is away: what the page itself knows.
import type { ReactNode } from "react";
import { useStore, useWhole } from "../../base/store";
import { Icon } from "../../parts/icon";
import { Pane } from "../../parts/pane";
import { outbox } from "../../store/outbox";
import { pending } from "../../store/pending";
import { t } from "../../text/t";
import { link } from "../../wire/link";
import StartKibo from "../startKibo";

/** What was looked at, whether it is fine (perhaps with something that is worth doing), and what there is to say about it. */
export function CheckRow({ ok, advised = false, name, children }: { ok: boolean; advised?: boolean; name: string; children: ReactNode }) {
  const word = t(!ok ? "doctor.wrong" : advised ? "doctor.advised" : "doctor.fine");
  return (
    <li className="check-row">
      <span className={!ok ? "check-wrong" : advised ? "check-advised" : "check-fine"} title={word}><Icon name={!ok ? "alert" : advised ? "info" : "check"} /><span className="hidden-words">{word}</span></span>
      <div className="column grow">
        <h2 className="check-name">{name}</h2>
        {children}
      </div>
    </li>
  );
}

/** The doctor without the daemon. */
export function Without() {
  const way = useWhole(link);
  const waiting = useStore(outbox, (all) => all.length) + useStore(pending, (all) => all.filter(({ method }) => method !== "conversation.markRead").length);
  const isServed = way === "daemon";
  return (
    <Pane title={t("doctor.title")} backTo="settings">
      <div className="page column">
        <p className="quiet">{t("doctor.without")}</p>
        <ul className="checks" aria-label={t("doctor.title")}>
          {isServed && (
            <CheckRow ok={false} name={t("doctor.daemon")}>
              <p>{t("doctor.daemon.away")}</p>
              <div className="row wrapping"><StartKibo /></div>
            </CheckRow>
          )}
          <CheckRow ok={isServed} name={t("doctor.page")}><p>{t(isServed ? "doctor.page.fine" : `banner.${way === "out" ? "out" : "web"}`)}</p></CheckRow>
          <CheckRow ok={navigator.onLine} name={t("doctor.online")}><p>{t(navigator.onLine ? "doctor.online.fine" : "doctor.online.none")}</p></CheckRow>
          <CheckRow ok name={t("doctor.kept")}><p>{waiting === 0 ? t("doctor.kept.none") : t("doctor.kept.some", { count: waiting })}</p></CheckRow>
        </ul>
      </div>
    </Pane>
  );
}
