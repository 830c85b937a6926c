// Puts rows that stand together into pieces. A browser lays out and paints each piece on its own, and needn't look into those that only move.
import type { Row } from "./days";

/** Rows of a piece at most, but for those that come in between later. */
export const SIZE = 8;

export interface Piece {
  /** Stays the same while rows of it come and go. */
  key: number;
  rows: Row[];
}

/** A row stays in its piece while it is drawn and the order stays: in another one it would be made again, and what plays in it would stop. */
export class Pieces {
  readonly #of = new Map<string, number>();
  #last = 0;

  /** The pieces of the rows of one day. */
  of(rows: readonly Row[]): Piece[] {
    const known = rows.findIndex((row) => this.#of.has(row.message.id));
    // Before the first one that is known, from there backwards: the next ones come at the top.
    for (let end = known; end > 0; end -= SIZE) {
      this.#last += 1;
      for (const row of rows.slice(Math.max(0, end - SIZE), end)) this.#of.set(row.message.id, this.#last);
    }
    const ends = new Map<number, number>();
    rows.forEach((row, index) => {
      const key = this.#of.get(row.message.id);
      if (key !== undefined) ends.set(key, index);
    });
    const pieces: Piece[] = [];
    const made = new Set<number>();
    rows.forEach((row, index) => {
      const piece = pieces.at(-1);
      let key = this.#of.get(row.message.id);
      if (key === undefined && piece !== undefined && (piece.rows.length < SIZE || (ends.get(piece.key) ?? -1) > index)) key = piece.key;
      // In another order of the rows a piece may be torn apart.
      if (key === undefined || (key !== piece?.key && made.has(key))) key = this.#last += 1;
      this.#of.set(row.message.id, key);
      made.add(key);
      if (piece?.key === key) piece.rows.push(row);
      else pieces.push({ key, rows: [row] });
    });
    return pieces;
  }

  /** Forgets all rows but these. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#of.keys()) if (!ids.has(id)) this.#of.delete(id);
  }
}
