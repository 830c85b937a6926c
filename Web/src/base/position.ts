// Rows of a history stand in the order of their positions.

/** How many rows stand before a position, which is the index where it stands or would stand. With `counts` the row at it is counted, too. */
export function placeOf(rows: readonly { position: string }[], position: string, counts = false): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = rows[middle]?.position ?? "";
    if (at < position || (counts && at === position)) low = middle + 1;
    else high = middle;
  }
  return low;
}
