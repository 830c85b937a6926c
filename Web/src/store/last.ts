// What this page last knew, kept while the daemon is away: a page that is loaded again then shows it and not an empty screen.
//
// It is in the tab's own storage, which no other tab reads and which ends with the tab. It is written once the daemon was found to be away, and is
// removed when the daemon answers, when the account is locked and when this login ends.
import type { Account, Contact, Conversation, Group, Message, Setting, Totals, Transfer } from "../contract/types";
import { self, takeAccount } from "./account";
import { resumeSending } from "./changes";
import { contacts } from "./contacts";
import { conversations, ordered } from "./conversations";
import { groups } from "./groups";
import { histories, takeLastHistory } from "./messages";
import { settings } from "./settings";
import { Table } from "./table";
import { totals, takeTotals } from "./totals";
import { transfers } from "./transfers";

/** How long it counts, in ms: a tab that a browser brings back after days shows nothing of then. */
const LIFE = 24 * 3_600_000;
/** How many conversations, contacts, groups and transfers are kept, and messages of each chat that was open. A browser keeps 10 MB. */
const MOST = { conversations: 100, contacts: 500, groups: 100, transfers: 200, messages: 50 };

interface Last {
  at: number;
  account: Account;
  totals: Totals;
  conversations: Conversation[];
  contacts: Contact[];
  groups: Group[];
  settings: Setting[];
  transfers: Transfer[];
  histories: [string, Message[], boolean][];
}

function gathered(account: Account, withHistories: boolean): Last {
  const { told } = conversations.get();
  const chats = [...ordered(told, false).slice(0, MOST.conversations), ...ordered(told, true).slice(0, MOST.conversations)];
  // Those whose chats are shown come first.
  const shown = new Set(chats.map(({ contact }) => contact));
  const people = [...contacts.get().values()].sort((a, b) => Number(shown.has(b.id)) - Number(shown.has(a.id)));
  const { here: _, ...sums } = totals.get();
  return {
    at: Date.now(), account, totals: sums, conversations: chats, contacts: people.slice(0, MOST.contacts),
    groups: [...groups.get().values()].slice(0, MOST.groups), settings: [...settings.get().values()],
    transfers: [...transfers.get().values()].slice(-MOST.transfers),
    histories: withHistories
      ? [...histories.get()].map(([id, { told, before }]) => [id, told.slice(-MOST.messages), before || told.length > MOST.messages])
      : [],
  };
}

function keep(name: string, account: Account): void {
  for (const withHistories of [true, false]) {
    try {
      return sessionStorage.setItem(name, JSON.stringify(gathered(account, withHistories)));
    } catch {
      // It is too much for the browser: without the messages, or not at all.
    }
  }
}

/** All of it is older than whatever the daemon will say. */
const OLD = -1;
const tableOf = <T extends { id: string }>(list: readonly T[]): Table<T> => Table.empty<T>().put(list.map((one) => [one.id, one]), OLD);

function take(name: string): boolean {
  let last: Last;
  try {
    last = JSON.parse(sessionStorage.getItem(name) ?? "null") as Last;
    if (last === null || !(Math.abs(Date.now() - last.at) < LIFE)) throw new Error("too old");
  } catch {
    sessionStorage.removeItem(name);
    return false;
  }
  contacts.set(tableOf(last.contacts));
  groups.set(tableOf(last.groups));
  transfers.set(tableOf(last.transfers));
  settings.set(Table.empty<Setting>().put(last.settings.map((one) => [one.key, one]), OLD));
  const told = tableOf(last.conversations);
  conversations.set({ told, table: told, next: null, archived: null });
  takeTotals(last.totals);
  for (const [id, rows, before] of last.histories) takeLastHistory(id, rows, before);
  takeAccount(last.account);
  // What was written and not sent yet stands at the end of its chat.
  resumeSending();
  return true;
}

/**
 * The daemon is away: keeps what this page knows or, if it knows nothing yet, takes what it kept before it was loaded again. `name`: of the place in
 * `sessionStorage`.
 * @returns whether it was taken
 */
export function keepOrTake(name: string): boolean {
  const { phase, account } = self.get();
  if (phase === "ready" && account !== null) keep(name, account);
  return phase === "starting" && take(name);
}
