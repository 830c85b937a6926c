// Searching for people, groups, messages and files, or for the messages and files of one chat. The daemon searches; the page keeps the last question and its answer.
import { Store } from "../base/store";
import type { Contact, Conversation, Found } from "../contract/types";
import { plain } from "../text/plain";
import { seenNow } from "../wire/events";
import { call } from "../wire/rpc";
import { nameOf, takeContacts } from "./contacts";
import { findConversations } from "./conversations";
import { groups, sortedGroups } from "./groups";
import { titleOf } from "./people";

/** A person, a group or the notes: what a name leads to. */
export interface FoundChat {
  kind: "direct" | "group" | "notes";
  name: string;
  /** The account or the group. */
  id: string;
  /** Null for a friend you have no chat with yet. */
  conversation: string | null;
}

export interface Search {
  query: string;
  /** Only in this conversation; null: in all. */
  conversation: string | null;
  chats: readonly FoundChat[];
  found: readonly Found[];
  /** Where the next page begins; null: that is all. */
  next: string | null;
  state: "none" | "busy" | "done";
}

const nothing = { chats: [], found: [], next: null };

export const search = new Store<Search>({ query: "", conversation: null, ...nothing, state: "none" });

/** Words to mark in a message that a search has led to. */
export const marked = new Store<{ message: string; words: readonly string[] } | null>(null);

/** Results in a page. */
const PAGE = 30;
/** A query counts once nothing was typed for this long, in ms. */
const REST = 180;
/** People in a page: the most that the contract gives. */
const PEOPLE = 500;

let turn = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Each word is the beginning of one, unless the person says otherwise. */
function asked(query: string): string {
  const words = query.trim();
  return /["*]/.test(words) ? words : words.split(/\s+/).map((word) => `${word}*`).join(" ");
}

const chatOf = (chat: Conversation): FoundChat => ({ kind: chat.kind, name: titleOf(chat), id: chat.contact ?? chat.group ?? chat.id, conversation: chat.id });

const personOf = (person: Contact): FoundChat => ({ kind: "direct", name: nameOf(person), id: person.id, conversation: person.conversation });

/** All contacts that a query finds. */
async function findContacts(query: string): Promise<Contact[]> {
  const found: Contact[] = [];
  let after: string | undefined;
  do {
    const begun = seenNow();
    const { contacts: list, next } = await call("contact.list", { query, limit: PEOPLE, ...(after === undefined ? {} : { after }) });
    takeContacts(list, begun);
    found.push(...list);
    after = next;
  } while (after !== undefined);
  return found;
}

/** Friends and everyone you have a chat with, by name; then groups. */
async function findChats(query: string): Promise<FoundChat[]> {
  const [people, chats] = await Promise.all([findContacts(query), findConversations(query)]);
  // All groups are here; their names are found without their accents, too.
  const wanted = plain(query);
  const { current, former } = sortedGroups(groups.get());
  const named = [...current, ...former].filter(({ name }) => plain(name).includes(wanted));
  const all: FoundChat[] = [
    ...people.filter(({ relation, conversation }) => relation === "friend" || conversation !== null).map(personOf),
    ...chats.map(chatOf),
    ...named.flatMap(({ id, name, conversation }) => (conversation === null ? [] : [{ kind: "group" as const, name, id, conversation }])),
  ];
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

async function run(more: boolean): Promise<void> {
  const { query, conversation, next } = search.get();
  turn += 1;
  const mine = turn;
  search.update((now) => ({ ...now, state: "busy" }));
  try {
    const [answer, chats] = await Promise.all([
      call("message.search", {
        query: asked(query), limit: PAGE, ...(conversation === null ? {} : { conversation }), ...(more && next !== null ? { before: next } : {}),
      }),
      more || conversation !== null ? [] : findChats(query.trim()),
    ]);
    if (mine !== turn) return;
    search.update((now) => ({
      ...now, chats: more ? now.chats : chats, found: more ? [...now.found, ...answer.messages] : answer.messages, next: answer.next ?? null, state: "done",
    }));
  } catch (error) {
    if (mine !== turn) return;
    search.update((now) => ({ ...now, ...(more ? { next: null } : nothing), state: "done" }));
    throw error;
  }
}

/** Asks again. An empty question has no answer. */
export function ask(values: Partial<Pick<Search, "query" | "conversation">>, failed: (error: unknown) => void): void {
  clearTimeout(timer);
  const before = search.get();
  const now = { ...before, ...values };
  // While a word is typed, what the letters before have found stays until the answer.
  const goesOn = before.query !== "" && now.conversation === before.conversation && (now.query.startsWith(before.query) || before.query.startsWith(now.query));
  search.set(goesOn ? now : { ...now, ...nothing, state: "busy" });
  if (now.query.trim() === "") {
    turn += 1;
    search.update((last) => ({ ...last, ...nothing, state: "none" }));
    return;
  }
  timer = setTimeout(() => run(false).catch(failed), REST);
}

export const askMore = (): Promise<void> => run(true);

/** What was found in a message, as it is written there. */
export const wordsOf = ({ snippet, marks }: Found): string[] => {
  const letters = [...snippet];
  return [...new Set(marks.map(({ start, length }) => letters.slice(start, start + length).join("")))];
};

/** Whether something was found in the name of a file, and not in the text beside it. */
export const isFile = (found: Found): boolean => {
  const [word = ""] = wordsOf(found);
  return !found.message.text.includes(word) && found.message.attachments.some(({ name }) => name.includes(word));
};
