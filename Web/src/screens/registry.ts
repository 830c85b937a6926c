// All screens. A screen says at which path it stands and what it puts into the panes of the shell; each is a chunk of its own.
import { lazy } from "react";
import type { ComponentType } from "react";
import type { Key } from "../text/t";
import type { Parameters } from "./router";

/** What a screen in a pane gets: the values in its path. */
export interface PaneProps {
  at: Parameters;
}
type Pane = ComponentType<PaneProps>;

/** The entry of the rail that is lit. */
export type Tab = "chats" | "friends" | "calls" | "transfers" | "settings" | "me" | "more";

export interface Screen {
  /** As "chats/:id"; the first that fits counts. */
  path: string;
  tab: Tab;
  /** Name of the page in the window's title. */
  title: Key;
  /** The left pane, beside the rail. Without it the main pane takes its place. */
  list?: Pane;
  /** The middle pane; without it "choose something" stands there on wide windows. */
  main?: Pane;
  /** The right pane: on windows that are not wide it takes the place of the main pane. */
  aside?: Pane;
}

const pane = (load: () => Promise<{ default: Pane }>): Pane => lazy(load);

const Chats = pane(() => import("./chats/chats"));
const Chat = pane(() => import("./chat/chat"));
const NewChat = pane(() => import("./newChat/newChat"));

export const screens: readonly Screen[] = [
  { path: "chats", tab: "chats", title: "nav.chats", list: Chats },
  { path: "chats/archived", tab: "chats", title: "chats.archived", list: Chats },
  { path: "chats/new", tab: "chats", title: "newChat.title", list: NewChat },
  { path: "chats/:id", tab: "chats", title: "nav.chats", list: Chats, main: Chat },
];
