import { Component, useEffect, useMemo, useState } from "react";
import type { ReactNode } from "react";
import { useStore } from "../base/store";
import { Button } from "../parts/button";
import { later } from "../parts/later";
import { LiveRegion } from "../parts/live";
import { heading } from "../parts/logo";
import { Notices } from "../parts/notice";
import { Headed, PaneKind } from "../parts/pane";
import { Empty } from "../parts/small";
import { gifts } from "../store/giving";
import { guests } from "../store/guests";
import { ringing } from "../store/ringing";
import { usePlace } from "../store/router";
import type { PaneProps, Parameters } from "../store/router";
import { useUnread } from "../store/totals";
import { keyNames } from "../text/keys";
import { laterWords } from "../text/language";
import { rich, t } from "../text/t";
import { Banner } from "./banner";
import { useShortcuts } from "./keys";
import { useLayout } from "./layout";
import { Over } from "./over";
import { Rail } from "./rail";
import { findScreen } from "./registry";

const Offers = later(() => Promise.all([import("./sides/over"), laterWords()]).then(([side]) => side.Offers), { waiting: null });

/** Keeps a fault of one pane from taking the others with it. */
class Guard extends Component<{ children: ReactNode; at: string }, { failed: string | null }> {
  override state = { failed: null as string | null };

  static getDerivedStateFromError(error: unknown) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate(before: { at: string }) {
    if (before.at !== this.props.at && this.state.failed !== null) this.setState({ failed: null });
  }

  override render() {
    if (this.state.failed === null) return this.props.children;
    return (
      <Empty icon="warn" title={t("app.failed")}>
        <p>{t("app.failed.more")}</p>
        <p className="small wrap">{this.state.failed}</p>
        <Button onClick={() => location.reload()}>{t("app.reload")}</Button>
      </Empty>
    );
  }
}

type Kind = "list" | "main" | "aside";

function Slot({ kind, isMain, pane: Content, at, path, label }: {
  kind: Kind; isMain: boolean; pane: React.ComponentType<PaneProps> | undefined; at: Parameters; path: string; label: string;
}) {
  const [isHeaded, setHeaded] = useState(false);
  const body = Content === undefined ? <Empty icon="chat" isHeading={isMain} title={t(path.startsWith("friends") ? "app.choose.friend" : "app.choose")}><p>{rich("app.choose.more", { keys: <kbd>{keyNames("Ctrl+K")}</kbd> })}</p></Empty> : <Content at={at} />;
  return (
    <section className={`pane pane-${kind}`} role={isMain ? "main" : "region"} aria-label={label} aria-labelledby={`name-${kind}`} id={`pane-${kind}`} tabIndex={-1}>
      <PaneKind.Provider value={kind}>
        {/* The page has one heading of the first level in each of its states, also while its screen is fetched. */}
        {isMain && !isHeaded && Content !== undefined && heading}
        <Headed.Provider value={isMain ? setHeaded : null}><Guard at={path}>{body}</Guard></Headed.Provider>
      </PaneKind.Provider>
    </section>
  );
}

export function Shell() {
  const path = usePlace();
  const found = useMemo(() => findScreen(path) ?? findScreen("chats"), [path]);
  const unread = useUnread();
  const layout = useLayout();
  const isListed = useStore(guests, ({ offers, given }) => offers.length + given.length > 0);
  const isGiving = useStore(gifts, (all) => all.some(({ offer }) => offer === null));
  useShortcuts();
  const title = found === null ? "Kibo" : t(found.screen.title);
  const rings = useStore(ringing, (all) => all.at(-1));
  useEffect(() => {
    document.title = rings !== undefined ? `${rings} – Kibo` : unread > 0 ? `(${unread}) ${title} – Kibo` : `${title} – Kibo`;
  }, [rings, unread, title]);
  useEffect(() => {
    void (unread > 0 ? navigator.setAppBadge?.(unread) : navigator.clearAppBadge?.())?.catch(() => undefined);
  }, [unread]);
  if (found === null) return null;
  const { screen, at } = found;
  const deepest: Kind = screen.aside !== undefined ? "aside" : screen.main !== undefined ? "main" : "list";
  // The landmark "main" is the pane that a person is in: on narrow windows there is one only.
  const main: Kind = layout === "narrow" || (layout === "middle" && deepest === "aside") ? deepest : "main";
  return (
    <div
      className="shell" data-pane={deepest} data-deep={deepest !== "list"} data-aside={screen.aside !== undefined}
      data-wide-main={screen.list === undefined}
    >
      <header className="shell-banner">
        <a
          className="skip" href={`#/${path}`}
          onClick={(event) => {
            event.preventDefault();
            document.getElementById(`pane-${main}`)?.focus();
          }}
        >
          {t("app.skip")}
        </a>
        <Banner />
        {(isListed || isGiving) && <Offers />}
      </header>
      <Rail tab={screen.tab} />
      {screen.list !== undefined && <Slot kind="list" isMain={main === "list"} pane={screen.list} at={at} path={path} label={t("app.list")} />}
      <Slot kind="main" isMain={main === "main"} pane={screen.main ?? (layout === "narrow" ? undefined : screen.idle)} at={at} path={path} label={t("app.main")} />
      {screen.aside !== undefined && <Slot kind="aside" isMain={main === "aside"} pane={screen.aside} at={at} path={path} label={t("app.details")} />}
      {/* Tab goes on in the page after the last field of a chat. */}
      <footer className="shell-end">
        <a
          className="skip" href={`#/${path}`}
          onClick={(event) => {
            event.preventDefault();
            document.querySelector<HTMLElement>(".rail-link")?.focus();
          }}
        >
          {t("app.skipBack")}
        </a>
      </footer>
      <LiveRegion />
      <Notices />
      <Over />
    </div>
  );
}
