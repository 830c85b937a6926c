import { useStore } from "../base/store";
import { Avatar } from "../parts/avatar";
import { Icon } from "../parts/icon";
import type { IconName } from "../parts/icon";
import { followed } from "../parts/rows";
import { Badge } from "../parts/small";
import { self } from "../store/account";
import { hrefTo } from "../store/router";
import { useMissedCalls, useRequestCount, useUnread } from "../store/totals";
import { t } from "../text/t";
import { useLayout } from "./layout";
import { screens } from "./registry";
import type { Tab } from "./registry";

interface Entry {
  tab: Tab;
  path: string;
  icon: IconName;
  /** Where it stands: in the rail of wide windows, in the tabs of narrow ones. */
  only?: "wide" | "narrow";
}

const entries: readonly Entry[] = [
  { tab: "chats", path: "chats", icon: "chat" },
  { tab: "friends", path: "friends", icon: "friends" },
  { tab: "calls", path: "calls", icon: "call" },
  { tab: "transfers", path: "transfers", icon: "transfers", only: "wide" },
  { tab: "settings", path: "settings", icon: "settings", only: "wide" },
  { tab: "more", path: "more", icon: "more", only: "narrow" },
];

/** On narrow windows these stand under "More". */
const underMore: readonly Tab[] = ["transfers", "settings", "me"];

export function Rail({ tab }: { tab: Tab }) {
  const unread = useUnread();
  const requests = useRequestCount();
  const missed = useMissedCalls();
  const layout = useLayout();
  const account = useStore(self, (value) => value.account);
  const shown = entries.filter(({ path }) => screens.some((screen) => screen.path === path));
  return (
    <nav className="rail" aria-label={t("nav.label")}>
      {shown.map((entry) => (
        <a
          key={entry.tab} href={hrefTo(entry.path)} onClick={(event) => followed(event, entry.path)}
          className={`rail-link${entry.only === undefined ? "" : ` rail-only-${entry.only}`}`}
          aria-current={entry.tab === tab || (entry.tab === "more" && layout === "narrow" && underMore.includes(tab)) ? "page" : undefined}
        >
          <Icon name={entry.icon} size={24} />
          <span className="rail-word" data-word={t(`nav.${entry.tab}`)}>{t(`nav.${entry.tab}`)}</span>
          {entry.tab === "chats" && <Badge most={99} count={unread} label={t("nav.unread", { count: unread })} />}
          {entry.tab === "friends" && <Badge most={99} count={requests} label={t("nav.requests", { count: requests })} />}
          {entry.tab === "calls" && <Badge most={99} count={missed} label={t("nav.missed", { count: missed })} />}
        </a>
      ))}
      {account !== null && screens.some((screen) => screen.path === "me") && (
        <a className="rail-link rail-me" href={hrefTo("me")} onClick={(event) => followed(event, "me")} aria-current={tab === "me" ? "page" : undefined}>
          <Avatar id={account.id} name={account.displayName} picture={account.picture} presence={account.presence} />
          <span className="hidden-words">{t("nav.me")}</span>
        </a>
      )}
    </nav>
  );
}
