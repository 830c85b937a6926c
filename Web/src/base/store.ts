// A value that components read. React's useSyncExternalStore does all that is needed.
import { useRef, useSyncExternalStore } from "react";

/** Holds an immutable value and tells its readers of each new one. */
export class Store<S> {
  #value: S;
  readonly #readers = new Set<() => void>();

  constructor(value: S) {
    this.#value = value;
  }

  get = (): S => this.#value;

  set(value: S): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const reader of [...this.#readers]) reader();
  }

  update(change: (value: S) => S): void {
    this.set(change(this.#value));
  }

  subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  };
}

/** Compares two lists or plain objects by their members: for selections that are made again each time. */
export function sameMembers<T>(a: T, b: T): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Map || a instanceof Set || b instanceof Map || b instanceof Set) return false;
  const left = Object.entries(a);
  const right = b as Record<string, unknown>;
  return left.length === Object.keys(b).length && left.every(([name, value]) => Object.is(value, right[name]));
}

/** The part of a store that a component shows. It is drawn again only when that part differs. */
export function useStore<S, T>(store: Store<S>, select: (value: S) => T, same: (a: T, b: T) => boolean = sameMembers): T {
  const last = useRef<{ value: T } | null>(null);
  return useSyncExternalStore(store.subscribe, () => {
    const value = select(store.get());
    if (last.current === null || !same(last.current.value, value)) last.current = { value };
    return last.current.value;
  });
}

/** The whole value of a store. */
export const useWhole = <S>(store: Store<S>): S => useSyncExternalStore(store.subscribe, store.get);
