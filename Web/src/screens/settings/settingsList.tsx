// The parts of the settings, or what a search in them has found.
import { useMemo, useState } from "react";
import { useStore, useWhole } from "../../base/store";
import { Avatar } from "../../parts/avatar";
import { Icon } from "../../parts/icon";
import { Pane } from "../../parts/pane";
import { Rows } from "../../parts/rows";
import { Empty, Name, SearchField } from "../../parts/small";
import { self } from "../../store/account";
import { usePlace } from "../../store/router";
import { settings } from "../../store/settings";
import { visibleLine } from "../../text/safe";
import { t } from "../../text/t";
import { useLayout } from "../layout";
import { findSettings, sectionEntries } from "./sections";
import type { SectionEntry } from "./sections";

function Entry({ entry }: { entry: SectionEntry }) {
  const account = useStore(self, (now) => now.account);
  if (entry.path === "me" && account !== null) {
    return (
      <>
        <Avatar id={account.id} name={account.displayName} picture={account.picture} presence={account.presence} />
        <span className="row-body">
          <span className="row-title cut"><Name>{account.displayName}</Name></span>
          <span className="row-sub cut">{account.statusText === "" ? t("nav.me") : <bdi>{visibleLine(account.statusText)}</bdi>}</span>
        </span>
      </>
    );
  }
  return <><span className="row-icon"><Icon name={entry.icon} /></span><span className="row-title cut">{t(entry.label)}</span></>;
}

export default function SettingsList() {
  const table = useWhole(settings);
  const [query, setQuery] = useState("");
  const place = usePlace();
  const layout = useLayout();
  const found = useMemo(() => (query.trim() === "" ? null : findSettings(table, query)), [table, query]);
  const here = place === "settings" && layout !== "narrow" ? "settings/notifications" : place.split("/").slice(0, 2).join("/");
  return (
    <Pane title={t("nav.settings")} backTo="more" top={<SearchField value={query} onChange={setQuery} label="settings.search" />}>
      {found === null
        ? <Rows label={t("nav.settings")} items={sectionEntries(table)} idOf={({ path }) => path} hrefOf={({ path }) => path} current={here}>{(entry) => <Entry entry={entry} />}</Rows>
        : found.length === 0
          ? <Empty icon="search" title={t("settings.notFound")} />
          : (
            <Rows label={t("settings.found")} items={found} idOf={({ id }) => id} hrefOf={({ path }) => path}>
              {(one) => <span className="row-body"><span className="row-title wrap">{one.label}</span>{one.more !== "" && <span className="row-sub cut">{one.more}</span>}</span>}
            </Rows>
          )}
    </Pane>
  );
}
