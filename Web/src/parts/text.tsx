import { Fragment, useMemo, useState } from "react";
import { hrefTo } from "../store/router";
import { beginningOf, formatted } from "../text/formatted";
import type { Marked, Piece } from "../text/formatted";
import { pieces } from "../text/links";
import type { LinkPiece } from "../text/links";
import { visible } from "../text/safe";
import { t } from "../text/t";

/** Longer texts are cut until a person asks for all of it, in UTF-16 units. */
const SHOWN = 2400;

function Link({ piece }: { piece: LinkPiece }) {
  return (
    <>
      {/* A link of an account leads to the screen that shows whom it means; the browser knows no such links. */}
      {piece.href.startsWith("kibo:")
        ? <a href={hrefTo(`friends/address/${encodeURIComponent(piece.href)}`)}>{piece.text}</a>
        : <a href={piece.href} target="_blank" rel="noreferrer noopener">{piece.text}</a>}
      {piece.host !== null && <span className="quiet"> ({piece.host})</span>}
    </>
  );
}

const tags = { bold: "strong", italic: "em", code: "code", block: "code" } as const;

/** The marks have no width: nobody sees or hears them, and who copies a part of a text gets what was typed. */
function Formatted({ piece }: { piece: Marked }) {
  const Tag = tags[piece.kind];
  const isCode = Tag === "code";
  // Where a block's marks have a line of their own, it has no height; a copy has its end all the same.
  const mark = (typed: string, isLine: boolean) => <span className={isLine ? "typed typed-line" : "typed"} aria-hidden="true">{typed.replaceAll("\n", "")}</span>;
  return (
    <Tag {...(isCode ? { className: `text-${piece.kind}`, dir: "auto" } : {})}>
      {mark(piece.open, piece.open.endsWith("\n"))}<Pieces all={piece.within} />{mark(piece.close, piece.close.startsWith("\n"))}
    </Tag>
  );
}

function Pieces({ all }: { all: readonly Piece[] }) {
  return (
    <>
      {all.map((piece, index) => piece.kind === "text"
        ? <Fragment key={index}>{piece.text}</Fragment>
        : piece.kind === "link" ? <Link key={index} piece={piece} /> : <Formatted key={index} piece={piece} />)}
    </>
  );
}

/** The text of others: hostile characters visible, links as links, in its own direction. `isFormatted`: bold, italic and code as they are marked. Nothing else of it is markup. */
export function Text({ children, isFormatted = false }: { children: string; isFormatted?: boolean }) {
  const [whole, setWhole] = useState(false);
  const text = useMemo(() => visible(children), [children]);
  const cut = !whole && text.length > SHOWN;
  const shown = useMemo(() => {
    // Links are searched in the whole text. A link that the cut would go through is not shown as one.
    const all = isFormatted ? formatted(text) : pieces(text);
    return cut ? beginningOf(all, SHOWN) : all;
  }, [text, cut, isFormatted]);
  return <>
    <span className="text wrap" dir="auto"><Pieces all={shown} /></span>
    {/* It stands outside of what the text may turn. */}
    {cut && <button type="button" className="link-button" onClick={() => setWhole(true)}>{t("message.showAll")}</button>}
  </>;
}
