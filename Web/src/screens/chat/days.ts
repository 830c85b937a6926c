// Puts rows into days and groups: who wrote several in a row is named once.
import type { Message } from "../../contract/types";

export interface Row {
  message: Message;
  /** First and last of a group of bubbles of one sender. */
  first: boolean;
  last: boolean;
}

export interface Day {
  /** Midnight, as milliseconds. In the order of arrival a day can come more than once. */
  start: number;
  /** Tells it from all others, and stays the same while older rows come and go. */
  key: string;
  rows: Row[];
}

/** Messages of one sender further apart than this are not of one group, in ms. */
const TOGETHER = 5 * 60_000;

/** The beginning of a day. */
export const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0);

/** Whether two messages of one day are of one group. */
const together = (one: Message, other: Message): boolean =>
  one.sender === other.sender && one.kind !== "system" && other.kind !== "system" && Math.abs(other.sentAt - one.sentAt) < TOGETHER;

/** `newFrom` is the message before which the line "new" stands: a group doesn't go across it. */
export function days(messages: readonly Message[], newFrom: string | null): Day[] {
  const all: Day[] = [];
  let day: Day | undefined;
  let before: Row | undefined;
  for (const message of messages) {
    const start = midnight(message.sentAt);
    if (day?.start !== start) {
      day = { start, key: "", rows: [] };
      all.push(day);
      before = undefined;
    }
    const goesOn: boolean = before !== undefined && message.id !== newFrom && together(before.message, message);
    if (goesOn && before !== undefined) before.last = false;
    before = { message, first: !goesOn, last: true };
    day.rows.push(before);
  }
  // Counted from the end, at which few days are twice.
  const later = new Map<number, number>();
  for (const one of [...all].reverse()) {
    const count = later.get(one.start) ?? 0;
    later.set(one.start, count + 1);
    one.key = `${one.start} ${count}`;
  }
  return all;
}
