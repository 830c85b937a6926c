// What stands above the settings of LocalSend: who then sees this account, and whether it works.
import { useEffect } from "react";
import { useStore, useWhole } from "../../base/store";
import { Name, Note } from "../../parts/small";
import { guests, guestsChanged } from "../../store/guests";
import { settingOf, settings } from "../../store/settings";
import { codeText } from "../../text/errors";
import { rich, t } from "../../text/t";

export function Phones() {
  const { on, name, port, problem } = useWhole(guests);
  const isWanted = useStore(settings, (table) => settingOf(table, "localsend.enabled", false));
  // What it is called depends on the profile, and whether it works on the setting.
  useEffect(guestsChanged, [isWanted]);
  return (
    <section className="section" aria-labelledby="phones-more">
      <h2 id="phones-more">{t("phones.heading")}</h2>
      <p>{name === "" ? t("phones.more.unnamed") : rich("phones.more", { name: <Name>{name}</Name> })}</p>
      <p className="small quiet">{t("phones.app")}</p>
      <div role="status">
        {problem !== null ? <Note look="warn">{t("phones.problem", { problem: codeText(problem) })}</Note>
          : on && isWanted && <p className="small quiet">{port === null ? t("phones.deaf") : t("phones.on", { port: String(port) })}</p>}
      </div>
    </section>
  );
}
