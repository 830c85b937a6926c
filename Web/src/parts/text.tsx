import { Fragment, useMemo, useState } from "react";
import { hrefTo } from "../screens/router";
import { beginningOf, pieces } from "../text/links";
import { visible } from "../text/safe";
import { t } from "../text/t";

/** Longer texts are cut until a person asks for all of it, in UTF-16 units. */
const SHOWN = 2400;

/** The text of others: hostile characters visible, links as links, in its own direction. Nothing of it is ever markup. */
export function Text({ children }: { children: string }) {
  const [whole, setWhole] = useState(false);
  const text = useMemo(() => visible(children), [children]);
  const cut = !whole && text.length > SHOWN;
  const shown = useMemo(() => {
    // Links are searched in the whole text. A link that the cut would go through is not shown as one.
    const all = pieces(text);
    return cut ? beginningOf(all, SHOWN) : all;
  }, [text, cut]);
  return <>
    <span className="text wrap" dir="auto">
      {shown.map((piece, index) => piece.kind === "text"
        ? <Fragment key={index}>{piece.text}</Fragment>
        : (
          <Fragment key={index}>
            {/* A link of an account leads to the screen that shows whom it means; the browser knows no such links. */}
            {piece.href.startsWith("kibo:")
              ? <a href={hrefTo(`friends/address/${encodeURIComponent(piece.href)}`)}>{piece.text}</a>
              : <a href={piece.href} target="_blank" rel="noreferrer noopener">{piece.text}</a>}
            {piece.host !== null && <span className="quiet"> ({piece.host})</span>}
          </Fragment>
        ))}
    </span>
    {/* It stands outside of what the text may turn. */}
    {cut && <button type="button" className="link-button" onClick={() => setWhole(true)}>{t("message.showAll")}</button>}
  </>;
}
