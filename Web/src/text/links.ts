// Links in what people write: http, https, mailto and kibo only, and their real host is shown where it is not plain.

export interface LinkPiece {
  readonly kind: "link";
  readonly text: string;
  readonly href: string;
  /** The host that the link leads to, where the text reads like another one. */
  readonly host: string | null;
}
export type TextPiece = { readonly kind: "text"; readonly text: string } | LinkPiece;

const candidate = /\b(?:https?:\/\/|mailto:|kibo:)[^\s<>"“”„«»]+/giu;
const schemes = new Set(["http:", "https:", "mailto:", "kibo:"]);
const closing: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Takes off what belongs to the sentence: a full stop, or a bracket that was opened before the link. */
function trimmed(text: string): string {
  let end = text.length;
  for (;;) {
    const last = text[end - 1] ?? "";
    const opening: string | undefined = closing[last];
    const body = text.slice(0, end);
    if (body === "") return body;
    const isOpen = opening === undefined || body.split(last).length <= body.split(opening).length;
    if (isOpen && !/[.,;:!?'’…]/u.test(last)) return body;
    end -= 1;
  }
}

function link(text: string): LinkPiece | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  if (!schemes.has(url.protocol)) return null;
  if (url.protocol === "mailto:" || url.protocol === "kibo:") {
    return url.pathname === "" ? null : { kind: "link", text, href: url.href, host: null };
  }
  const isPlain = url.username === "" && url.password === "" && text.toLowerCase().startsWith(url.origin);
  return { kind: "link", text, href: url.href, host: isPlain ? null : url.host };
}

/** The text in pieces, links apart. */
export function pieces(text: string): TextPiece[] {
  const found: TextPiece[] = [];
  let done = 0;
  for (const match of text.matchAll(candidate)) {
    const written = trimmed(match[0] ?? "");
    const piece = link(written);
    if (piece === null) continue;
    if (match.index !== undefined && match.index > done) {
      found.push({ kind: "text", text: text.slice(done, match.index) });
    }
    found.push(piece);
    done = (match.index ?? 0) + written.length;
  }
  if (done < text.length) found.push({ kind: "text", text: text.slice(done) });
  return found;
}
