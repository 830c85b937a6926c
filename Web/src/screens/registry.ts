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

const FirstSteps = pane(() => import("./firstSteps/firstSteps"));
const Friends = pane(() => import("./friends/friends"));
const Requests = pane(() => import("./friends/requests"));
const Nearby = pane(() => import("./friends/nearby"));
const ByAddress = pane(() => import("./friends/byAddress"));
const Blocked = pane(() => import("./friends/blocked"));
const Details = pane(() => import("./details/details"));
const Transfers = pane(() => import("./transfers/transfers"));
const More = pane(() => import("./more/more"));
const Chats = pane(() => import("./chats/chats"));
const Chat = pane(() => import("./chat/chat"));
const ChatDetails = pane(() => import("./chat/details"));
const NewChat = pane(() => import("./newChat/newChat"));

export const screens: readonly Screen[] = [
  { path: "chats", tab: "chats", title: "nav.chats", list: Chats },
  { path: "chats/archived", tab: "chats", title: "chats.archived", list: Chats },
  { path: "chats/new", tab: "chats", title: "newChat.title", list: NewChat },
  { path: "chats/:id", tab: "chats", title: "nav.chats", list: Chats, main: Chat },
  { path: "chats/:id/details", tab: "chats", title: "chat.details", list: Chats, main: Chat, aside: ChatDetails },
  { path: "start", tab: "friends", title: "start.title", list: Friends, main: FirstSteps },
  { path: "friends", tab: "friends", title: "nav.friends", list: Friends },
  { path: "friends/requests", tab: "friends", title: "friends.requests", list: Friends, main: Requests },
  { path: "friends/nearby", tab: "friends", title: "friends.nearby", list: Friends, main: Nearby },
  { path: "friends/address", tab: "friends", title: "friends.byAddress", list: Friends, main: ByAddress },
  { path: "friends/blocked", tab: "friends", title: "friends.blocked", list: Friends, main: Blocked },
  { path: "friends/:id", tab: "friends", title: "details.title", list: Friends, main: Details },
  { path: "transfers", tab: "transfers", title: "nav.transfers", main: Transfers },
  { path: "transfers/with/:peer", tab: "transfers", title: "nav.transfers", main: Transfers },
  { path: "more", tab: "more", title: "nav.more", list: More },
];
