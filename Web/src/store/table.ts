// Objects by id, each as new as the event or answer that brought it.

interface Entry<T> {
  value: T;
  seq: number;
}

/**
 * A table of objects that events and answers feed. An event carries its number; an answer is as new as the last event seen
 * when it was asked for; the newer one stays, and what was removed stays removed. Each change makes a new table.
 */
export class Table<T> {
  private constructor(
    private readonly entries: ReadonlyMap<string, Entry<T>>,
    private readonly gone: ReadonlyMap<string, number>,
  ) {}

  static empty<T>(): Table<T> {
    return new Table<T>(new Map(), new Map());
  }

  get size(): number {
    return this.entries.size;
  }

  get(id: string | null | undefined): T | undefined {
    return id == null ? undefined : this.entries.get(id)?.value;
  }

  *values(): IterableIterator<T> {
    for (const entry of this.entries.values()) yield entry.value;
  }

  /** Takes objects that are as new as `seq`. What is here already and newer stays. */
  put(objects: readonly (readonly [string, T])[], seq: number): Table<T> {
    let entries: Map<string, Entry<T>> | null = null;
    for (const [id, value] of objects) {
      const old = this.entries.get(id);
      if (old !== undefined && old.seq > seq) continue;
      const goneAt = this.gone.get(id);
      if (goneAt !== undefined && goneAt >= seq) continue;
      entries ??= new Map(this.entries);
      entries.set(id, { value, seq });
    }
    return entries === null ? this : new Table(entries, this.gone);
  }

  /** Changes an object that is here, without making it newer; null takes it out. */
  patch(id: string, change: (value: T) => T | null): Table<T> {
    const old = this.entries.get(id);
    if (old === undefined) return this;
    const value = change(old.value);
    if (Object.is(value, old.value)) return this;
    const entries = new Map(this.entries);
    if (value === null) entries.delete(id);
    else entries.set(id, { value, seq: old.seq });
    return new Table(entries, this.gone);
  }

  /** Changes all objects, without making them newer. */
  each(change: (value: T) => T): Table<T> {
    return new Table(new Map([...this.entries].map(([id, { value, seq }]) => [id, { value: change(value), seq }])), this.gone);
  }

  remove(id: string, seq: number): Table<T> {
    const old = this.entries.get(id);
    if (old !== undefined && old.seq > seq) return this;
    const entries = new Map(this.entries);
    entries.delete(id);
    return new Table(entries, new Map(this.gone).set(id, seq));
  }

  /** Forgets how new everything is: after a gap the next answer counts, whatever its number. */
  aged(): Table<T> {
    return new Table(new Map([...this.entries].map(([id, entry]) => [id, { value: entry.value, seq: -1 }])), new Map());
  }

  /** Drops what a whole list that is as new as `seq` doesn't have. */
  keepOnly(ids: ReadonlySet<string>, seq: number): Table<T> {
    const entries = new Map([...this.entries].filter(([id, entry]) => ids.has(id) || entry.seq > seq));
    return entries.size === this.entries.size ? this : new Table(entries, this.gone);
  }
}
