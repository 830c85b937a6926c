// One part of the settings.
import { useEffect } from "react";
import { useWhole } from "../../base/store";
import { Pane } from "../../parts/pane";
import { Empty } from "../../parts/small";
import type { PaneProps } from "../../store/router";
import { settings } from "../../store/settings";
import { t } from "../../text/t";
import { KeyGroups } from "../shortcuts";
import { AccountSection } from "./accountSection";
import { ofBrowser } from "./browserSection";
import { SettingControl } from "./control";
import { Couriers } from "./couriers";
import { Logins } from "./logins";
import { Phones } from "./phones";
import { sectionEntries, settingsOf } from "./sections";

/** The daemon's settings of a section; the one that was searched for is brought into view. */
function DaemonSection({ section, wanted, hasOwn }: { section: string; wanted: string | undefined; hasOwn: boolean }) {
  const table = useWhole(settings);
  const list = settingsOf(table, section);
  const isHere = wanted !== undefined && table.get(wanted) !== undefined;
  useEffect(() => {
    if (!isHere) return;
    const row = document.getElementById(`setting-${wanted}`);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector<HTMLElement>("input, select, textarea, button")?.focus({ preventScroll: true });
  }, [isHere, wanted]);
  if (list.length === 0) return hasOwn ? null : <Empty icon="settings" title={t("settings.notFound")} />;
  return <div className="settings">{list.map((setting) => <SettingControl key={setting.key} setting={setting} lit={setting.key === wanted} />)}</div>;
}

export default function Section({ at }: PaneProps) {
  const section = at["section"] ?? "notifications";
  const Own = ofBrowser[section];
  const label = sectionEntries(settings.get()).find(({ path }) => path === `settings/${section}`)?.label ?? "nav.settings";
  return (
    <Pane title={t(label)} backTo="settings" toRead={section === "keys"}>
      <div className="page column">
        {section === "account" ? <AccountSection />
          : section === "browser" ? <Logins />
          : section === "keys" ? <KeyGroups />
          : <>{section === "couriers" && <Couriers />}{section === "phones" && <Phones />}{Own !== undefined && <Own />}<DaemonSection key={section} section={section} wanted={at["key"]} hasOwn={Own !== undefined} /></>}
      </div>
    </Pane>
  );
}
