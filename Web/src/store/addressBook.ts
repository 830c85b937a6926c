// The address book. Screens read only the pages that they show. Its events have no number and tell only that it has changed.
import { useCallback, useEffect, useRef, useState } from "react";
import { Store, useWhole } from "../base/store";
import type { AddressBookEntry } from "../contract/types";
import { wording } from "../text/errors";
import { asRefused } from "../wire/refusal";
import { call } from "../wire/rpc";

/** Grows whenever the address book may be another one. */
const version = new Store(0);
export const bookChanged = (): void => version.update((now) => now + 1);

/** Entries that were chosen in the address book to be invited. */
export const invitees = new Store<ReadonlySet<string>>(new Set());

/** What `addressBook.remove`, `invite.compose` and `invite.send` take at once. */
const AT_ONCE = 100;

/** Runs something for entries, as many at once as the contract allows, and returns all that came of it. */
export async function inParts<T>(entries: readonly string[], run: (part: string[]) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < entries.length; at += AT_ONCE) results.push(await run(entries.slice(at, at + AT_ONCE)));
  return results;
}

export interface Book {
  /** null: not read yet */
  entries: readonly AddressBookEntry[] | null;
  total: number;
  hasMore: boolean;
  problem: string | null;
  more: () => void;
}

/** The part of the address book that fits a query, in pages. It is read again when it changes. */
export function useBook(query: string, onKibo: boolean | null, page: number): Book {
  const change = useWhole(version);
  const [read, setRead] = useState<{ entries: readonly AddressBookEntry[]; total: number; next: string | undefined } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const wanted = useRef(page);
  const asked = useRef(0);
  const load = useCallback((after: string | undefined) => {
    asked.current += 1;
    const mine = asked.current;
    const limit = after === undefined ? Math.min(500, Math.max(page, wanted.current)) : page;
    call("addressBook.list", { limit, ...(query.trim() === "" ? {} : { query: query.trim() }), ...(onKibo === null ? {} : { onKibo }), ...(after === undefined ? {} : { after }) }).then((answer) => {
      // A question that was asked later counts more.
      if (mine !== asked.current) return;
      setProblem(null);
      setRead((now) => {
        const entries = after === undefined ? answer.entries : [...(now?.entries ?? []), ...answer.entries];
        wanted.current = entries.length;
        return { entries, total: answer.total, next: answer.next };
      });
    }, (error: unknown) => {
      if (mine === asked.current) setProblem(wording(asRefused(error)));
    });
  }, [query, onKibo, page]);
  useEffect(() => {
    wanted.current = page;
  }, [query, onKibo, page]);
  useEffect(() => load(undefined), [load, change]);
  const next = read?.next;
  const more = useCallback(() => {
    if (next !== undefined) load(next);
  }, [load, next]);
  return { entries: read?.entries ?? null, total: read?.total ?? 0, hasMore: next !== undefined, problem, more };
}
