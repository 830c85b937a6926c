// All screens. A screen says at which path it is and what it puts into the panes of the shell. The list of chats is part of the page's first script.
import type { ComponentType } from "react";
import { later } from "../parts/later";
import { match } from "../store/router";
import type { PaneProps, Parameters } from "../store/router";
import { laterWords } from "../text/language";
import type { Key } from "../text/t";
import Chats from "./chats/chats";

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
  /** What the middle pane of a screen without one shows, if there is room. */
  idle?: Pane;
  /** The right pane: on windows that are not wide it takes the place of the main pane. */
  aside?: Pane;
}

const loaders = new Map<Pane, () => Promise<unknown>>();

/** A screen of a chunk that is fetched when it is first shown. */
function pane<M>(load: () => Promise<M>, choose: (side: M) => Pane): Pane {
  const made = later(() => load().then(choose));
  loaders.set(made, load);
  return made;
}

// A chunk for each side of the page: more of them would make more requests, and many small files that two of them share.
const chat = () => import("./sides/chat");

const people = () => import("./sides/people");

const nearby = () => Promise.all([people(), laterWords()]).then(([side]) => side);

const book = () => Promise.all([import("./sides/book"), laterWords()]).then(([side]) => side);

const calls = () => Promise.all([import("./sides/calls"), laterWords()]).then(([side]) => side);

const own = () => Promise.all([import("./sides/own"), laterWords()]).then(([side]) => side);

const Chat = pane(chat, (side) => side.Chat);
const ChatDetails = pane(chat, (side) => side.ChatDetails);
const CallHistory = pane(calls, (side) => side.HistoryList);
const AnswerFromLink = pane(calls, (side) => side.AnswerFromLink);
const RingFromLink = pane(calls, (side) => side.RingFromLink);
const SearchPane = pane(() => import("./sides/search"), (side) => side.SearchPane);
const FirstSteps = pane(people, (side) => side.FirstSteps);
const Friends = pane(people, (side) => side.Friends);
const Requests = pane(people, (side) => side.Requests);
const Nearby = pane(nearby, (side) => side.Nearby);
const ByAddress = pane(people, (side) => side.ByAddress);
const Blocked = pane(people, (side) => side.Blocked);
const Details = pane(people, (side) => side.Details);
const AddressBook = pane(book, (side) => side.AddressBook);
const Invite = pane(book, (side) => side.Invite);
const Verify = pane(book, (side) => side.Verify);
const Transfers = pane(() => Promise.all([people(), laterWords()]).then(([side]) => side), (side) => side.Transfers);
const More = pane(people, (side) => side.More);
const Media = pane(own, (side) => side.Media);
const NewChat = pane(own, (side) => side.NewChat);
const Groups = pane(own, (side) => side.Groups);
const GroupDetails = pane(own, (side) => side.GroupDetails);
const SettingsList = pane(own, (side) => side.SettingsList);
const Section = pane(own, (side) => side.Section);
const Profile = pane(own, (side) => side.Profile);
const Doctor = pane(own, (side) => side.Doctor);
const About = pane(own, (side) => side.About);

export const screens: readonly Screen[] = [
  { path: "chats", tab: "chats", title: "nav.chats", list: Chats },
  { path: "chats/archived", tab: "chats", title: "chats.archived", list: Chats },
  { path: "chats/new", tab: "chats", title: "newChat.title", list: NewChat },
  { path: "chats/group", tab: "chats", title: "newChat.group", list: NewChat },
  { path: "chats/:id", tab: "chats", title: "nav.chats", list: Chats, main: Chat },
  { path: "chats/:id/message/:message", tab: "chats", title: "nav.chats", list: Chats, main: Chat },
  { path: "chats/:id/details", tab: "chats", title: "chat.details", list: Chats, main: Chat, aside: ChatDetails },
  { path: "chats/:id/media", tab: "chats", title: "media.title", list: Chats, main: Chat, aside: Media },
  { path: "calls", tab: "calls", title: "nav.calls", list: CallHistory },
  { path: "call/:id/:media", tab: "chats", title: "nav.calls", list: Chats, main: RingFromLink },
  { path: "answer/:id/:media", tab: "chats", title: "nav.calls", list: Chats, main: AnswerFromLink },
  { path: "groups", tab: "chats", title: "groups.title", list: Groups },
  { path: "groups/:id", tab: "chats", title: "group.details", list: Groups, main: GroupDetails },
  { path: "search", tab: "chats", title: "search.title", list: SearchPane },
  { path: "search/:id", tab: "chats", title: "search.title", list: SearchPane, main: Chat },
  { path: "search/:id/:message", tab: "chats", title: "search.title", list: SearchPane, main: Chat },
  { path: "start", tab: "friends", title: "start.title", list: Friends, main: FirstSteps },
  { path: "friends", tab: "friends", title: "nav.friends", list: Friends },
  { path: "friends/requests", tab: "friends", title: "friends.requests", list: Friends, main: Requests },
  { path: "friends/nearby", tab: "friends", title: "friends.nearby", list: Friends, main: Nearby },
  { path: "friends/address", tab: "friends", title: "friends.byAddress", list: Friends, main: ByAddress },
  { path: "friends/address/:link", tab: "friends", title: "friends.byAddress", list: Friends, main: ByAddress },
  { path: "friends/blocked", tab: "friends", title: "friends.blocked", list: Friends, main: Blocked },
  { path: "friends/book", tab: "friends", title: "book.title", list: Friends, main: AddressBook },
  { path: "friends/invite", tab: "friends", title: "invite.title", list: Friends, main: Invite },
  { path: "friends/:id", tab: "friends", title: "details.title", list: Friends, main: Details },
  { path: "friends/:id/verify", tab: "friends", title: "verify.title", list: Friends, main: Verify },
  { path: "transfers", tab: "transfers", title: "nav.transfers", main: Transfers },
  { path: "transfers/with/:peer", tab: "transfers", title: "nav.transfers", main: Transfers },
  { path: "settings", tab: "settings", title: "nav.settings", list: SettingsList, idle: Section },
  { path: "settings/:section", tab: "settings", title: "nav.settings", list: SettingsList, main: Section },
  { path: "settings/:section/:key", tab: "settings", title: "nav.settings", list: SettingsList, main: Section },
  { path: "me", tab: "me", title: "nav.me", list: SettingsList, main: Profile },
  { path: "doctor", tab: "settings", title: "doctor.title", list: SettingsList, main: Doctor },
  { path: "about", tab: "settings", title: "about.title", list: SettingsList, main: About },
  { path: "more", tab: "more", title: "nav.more", list: More },
];

/** The first screen that fits a path, and the values in it. */
export function findScreen(path: string): { screen: Screen; at: Parameters } | null {
  for (const screen of screens) {
    const at = match(screen.path, path);
    if (at !== null) return { screen, at };
  }
  return null;
}

/** Fetches what a path will show, before it is known whether it may be shown. */
export function preload(path: string): void {
  const screen = findScreen(path)?.screen;
  for (const content of [screen?.list, screen?.main, screen?.idle, screen?.aside]) {
    if (content !== undefined) loaders.get(content)?.().catch(() => undefined);
  }
}

/** Fetches what a chat needs. */
export const preloadChat = (): void => void chat().catch(() => undefined);
