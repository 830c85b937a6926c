// One part of the settings.
import { useEffect } from "react";
import { Pane } from "../../parts/pane";
import { Empty } from "../../parts/small";
import { settings } from "../../store/settings";
import { useWhole } from "../../store/store";
import { t } from "../../text/t";
import type { PaneProps } from "../registry";
import { KeyGroups } from "../shortcuts";
import { AccountSection } from "./accountSection";
import { BrowserSection } from "./browserSection";
import { SettingControl } from "./control";
import { sectionEntries, settingsOf } from "./sections";

/** The daemon's settings of a section; the one that was searched for is brought into view. */
function DaemonSection({ section, wanted }: { section: string; wanted: string | undefined }) {
  const table = useWhole(settings);
  const list = settingsOf(table, section);
  const isHere = wanted !== undefined && table.get(wanted) !== undefined;
  useEffect(() => {
    if (!isHere) return;
    const row = document.getElementById(`setting-${wanted}`);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector<HTMLElement>("input, select, textarea, button")?.focus({ preventScroll: true });
  }, [isHere, wanted]);
  if (list.length === 0) return <Empty icon="settings" title={t("settings.notFound")} />;
  return <div className="settings">{list.map((setting) => <SettingControl key={setting.key} setting={setting} lit={setting.key === wanted} />)}</div>;
}

export default function Section({ at }: PaneProps) {
  const section = at["section"] ?? "account";
  const label = sectionEntries(settings.get()).find(({ path }) => path === `settings/${section}`)?.label ?? "nav.settings";
  return (
    <Pane title={t(label)} backTo="settings" toRead={section === "keys"}>
      <div className="page column">
        {section === "account" ? <AccountSection />
          : section === "browser" ? <BrowserSection />
          : section === "keys" ? <KeyGroups />
          : <DaemonSection key={section} section={section} wanted={at["key"]} />}
      </div>
    </Pane>
  );
}
