import { memo } from "react";
import { sameMembers } from "../../base/store";
import { t } from "../../text/t";
import type { Row } from "./days";
import { MessageRow } from "./row";

interface PieceProps {
  rows: readonly Row[];
  /** Which message, of this piece or not, has the line "new" above it, is highlighted, is in the order of Tab, and says who holds it. */
  newFrom: string | null;
  lit: string | null;
  inTab: string | null;
  held: string | null;
}

const marks = ["newFrom", "lit", "inTab", "held"] as const;

/** Whether a piece looks the same. A mark that moves between other pieces changes nothing. */
function isSame(old: PieceProps, now: PieceProps): boolean {
  const isHere = (id: string | null) => id !== null && now.rows.some(({ message }) => message.id === id);
  return old.rows.length === now.rows.length && now.rows.every((row, index) => sameMembers(row, old.rows[index]))
    && marks.every((mark) => old[mark] === now[mark] || (!isHere(old[mark]) && !isHere(now[mark])));
}

/** Rows that a browser lays out and paints on their own. */
export const PieceRows = memo(function PieceRows({ rows, newFrom, lit, inTab, held }: PieceProps) {
  return (
    <div role="presentation" className="piece">
      {rows.flatMap(({ message, first, last }) => [
        message.id === newFrom && <div key="new" role="listitem" className="new-line">{t("chat.new")}</div>,
        <MessageRow
          key={message.id} message={message} first={first} last={last} lit={message.id === lit} inTab={message.id === inTab}
          tellsHolder={message.id === held}
        />,
      ])}
    </div>
  );
}, isSame);
