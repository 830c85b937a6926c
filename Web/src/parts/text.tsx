import { Fragment, useMemo } from "react";
import { useUnfolded } from "../base/unfolded";
import { hrefTo } from "../store/router";
import { beginningOf, formatted } from "../text/formatted";
import type { Marked, Piece } from "../text/formatted";
import { pieces } from "../text/links";
import type { LinkPiece } from "../text/links";
import { mentionPieces } from "../text/mentions";
import type { Mentioned } from "../text/mentions";
import { visible } from "../text/safe";
import { t } from "../text/t";

/** Longer texts are cut until a person asks for all of it, in UTF-16 units. */
const SHOWN = 2400;

function Link({ piece }: { piece: LinkPiece }) {
  return (
    <>
      {/* A link of an account leads to the screen of the person it means; the browser knows no such links. */}
      {piece.href.startsWith("kibo:")
        ? <a href={hrefTo(`friends/address/${encodeURIComponent(piece.href)}`)}>{piece.text}</a>
        : <a href={piece.href} target="_blank" rel="noreferrer noopener">{piece.text}</a>}
      {piece.host !== null && <span className="quiet"> ({piece.host})</span>}
    </>
  );
}

const tags = { bold: "strong", italic: "em", code: "code", block: "code" } as const;

/** The marks have no width: nobody sees or hears them, and who copies a part of a text gets what was typed. */
function Formatted({ piece, people }: { piece: Marked; people: readonly Mentioned[] }) {
  const Tag = tags[piece.kind];
  const isCode = Tag === "code";
  // Where a block's marks have a line of their own, that line has no height; a copy still has its end.
  const mark = (typed: string, isLine: boolean) => <span className={isLine ? "typed typed-line" : "typed"} aria-hidden="true">{typed.replaceAll("\n", "")}</span>;
  return (
    <Tag {...(isCode ? { className: `text-${piece.kind}`, dir: "auto" } : {})}>
      {mark(piece.open, piece.open.endsWith("\n"))}<Pieces all={piece.within} people={isCode ? nobody : people} />{mark(piece.close, piece.close.startsWith("\n"))}
    </Tag>
  );
}

const nobody: readonly Mentioned[] = [];

/** Text in which members of the group are mentioned. */
function Words({ text, people }: { text: string; people: readonly Mentioned[] }) {
  if (people.length === 0 || !text.includes("@")) return <>{text}</>;
  return (
    <>
      {mentionPieces(text, people).map((piece, index) => piece.kind === "text"
        ? <Fragment key={index}>{piece.text}</Fragment>
        : <bdi key={index} className={piece.isOwn ? "mention mention-own" : "mention"}>{piece.text}</bdi>)}
    </>
  );
}

function Pieces({ all, people }: { all: readonly Piece[]; people: readonly Mentioned[] }) {
  return (
    <>
      {all.map((piece, index) => piece.kind === "text"
        ? <Words key={index} text={piece.text} people={people} />
        : piece.kind === "link" ? <Link key={index} piece={piece} /> : <Formatted key={index} piece={piece} people={people} />)}
    </>
  );
}

/** The text of others: hostile characters visible, links as links, in its own direction. `isFormatted`: bold, italic and code as they are marked. `people`: who is lit where they are mentioned. Nothing else of it is markup. `id`: what it is the text of. */
export function Text({ id, children, isFormatted = false, people = nobody }: { id: string; children: string; isFormatted?: boolean; people?: readonly Mentioned[] }) {
  const [whole, showWhole] = useUnfolded(`${id} text`);
  const text = useMemo(() => visible(children), [children]);
  const cut = !whole && text.length > SHOWN;
  const shown = useMemo(() => {
    // Links are searched in the whole text. A link that the cut would go through is not shown as one.
    const all = isFormatted ? formatted(text) : pieces(text);
    return cut ? beginningOf(all, SHOWN) : all;
  }, [text, cut, isFormatted]);
  return <>
    <span className="text wrap" dir="auto"><Pieces all={shown} people={people} /></span>
    {/* It stands outside of what the text may turn. */}
    {cut && <button type="button" className="link-button" onClick={showWhole}>{t("message.showAll")}</button>}
  </>;
}
