import { createContext, useContext, useLayoutEffect } from "react";
import type { ReactNode } from "react";
import { back } from "../store/router";
import { t } from "../text/t";
import { IconButton } from "./button";

/** Which pane a screen is in. The shell sets this. */
export const PaneKind = createContext<"list" | "main" | "aside">("main");

/** Tells the landmark "main" that its pane has a heading; null in the other panes, whose headings stand below that one. */
export const Headed = createContext<((is: boolean) => void) | null>(null);

interface PaneParts {
  title: ReactNode;
  /** What the landmark is called, if not by its title. */
  name?: string;
  /** Stands before the title: an avatar. */
  before?: ReactNode;
  /** Buttons at the end of the head. */
  actions?: ReactNode;
  /** Stands below the head and does not scroll: a search field, tabs. */
  top?: ReactNode;
  /** Stands below the body and does not scroll. */
  foot?: ReactNode;
  /** Where "back" leads if the page began here. Without it there is no way back in the head. */
  backTo?: string;
  /** The way back is needed on wide windows too. */
  backAlways?: boolean;
  /** The body scrolls by itself. */
  ownScroll?: boolean;
  /** There is nothing to press in the body: Tab reaches it, so that arrows scroll it. */
  toRead?: boolean;
  children: ReactNode;
}

/** A pane with its head. The heading is the name of the screen. */
export function Pane({ title, name, before, actions, top, foot, backTo, backAlways = false, ownScroll = false, toRead = false, children }: PaneParts) {
  const kind = useContext(PaneKind);
  const headed = useContext(Headed);
  useLayoutEffect(() => {
    headed?.(true);
    return () => headed?.(false);
  }, [headed]);
  const Heading = headed === null ? "h2" : "h1";
  return (
    <>
      <header className="pane-head">
        {backTo !== undefined && (
          <IconButton
            icon={kind === "aside" ? "close" : "back"} label={kind === "aside" ? t("common.close") : t("common.back")}
            onClick={() => back(backTo)} {...(backAlways || kind === "aside" ? {} : { only: "back-narrow" as const })}
          />
        )}
        {before}
        <Heading className="pane-title cut" {...(name === undefined ? { id: `name-${kind}` } : {})}>{title}</Heading>
        {name !== undefined && <span hidden id={`name-${kind}`}>{name}</span>}
        {actions}
      </header>
      {top}
      {ownScroll ? children : <div className="scroll" {...(toRead ? { tabIndex: 0 } : {})}>{children}</div>}
      {foot}
    </>
  );
}
