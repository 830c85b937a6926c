// On narrow windows: what has no tab of its own.
import { useStore } from "../../base/store";
import { Avatar } from "../../parts/avatar";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/icon";
import { Pane } from "../../parts/pane";
import { Rows } from "../../parts/rows";
import { Name } from "../../parts/small";
import { self } from "../../store/account";
import { t } from "../../text/t";
import type { Key } from "../../text/t";

const entries: ReadonlyArray<{ path: string; label: Key; icon: IconName }> = [
  { path: "me", label: "nav.me", icon: "person" },
  { path: "groups", label: "groups.title", icon: "group" },
  { path: "transfers", label: "nav.transfers", icon: "transfers" },
  { path: "settings", label: "nav.settings", icon: "settings" },
  { path: "doctor", label: "doctor.title", icon: "doctor" },
  { path: "about", label: "about.title", icon: "info" },
];

export default function More() {
  const account = useStore(self, (now) => now.account);
  return (
    <Pane title={t("nav.more")}>
      <Rows label={t("nav.more")} items={entries} idOf={({ path }) => path} hrefOf={({ path }) => path}>
        {({ path, label, icon }) => (
          <>
            {path === "me" && account !== null
              ? <Avatar id={account.id} name={account.displayName} picture={account.picture} presence={account.presence} />
              : <span className="row-icon"><Icon name={icon} /></span>}
            <span className="row-body">
              <span className="row-title cut">{path === "me" && account !== null ? <Name>{account.displayName}</Name> : t(label)}</span>
              {path === "me" && <span className="row-sub cut">{t(label)}</span>}
            </span>
          </>
        )}
      </Rows>
    </Pane>
  );
}
