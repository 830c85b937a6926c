// Marks words that stand on the page, without touching what React has drawn there.

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Where words stand in a text: those that begin there, or any if none begins there, as in languages without spaces. */
export function placesOf(text: string, words: readonly string[]): { start: number; end: number }[] {
  const all = (before: string) => [...text.matchAll(new RegExp(`${before}(?:${words.map(escaped).join("|")})`, "giu"))]
    .map(({ index = 0, 0: found = "" }) => ({ start: index, end: index + found.length }));
  const begun = all("(?<![\\p{L}\\p{N}])");
  return begun.length > 0 ? begun : all("");
}

/** Marks words in the texts and the names of files of an element. The result takes the marks away. */
export function light(element: Element, words: readonly string[]): () => void {
  // Browsers that can't mark show the message all the same.
  if (words.length === 0 || typeof Highlight === "undefined") return () => undefined;
  const ranges: Range[] = [];
  for (const part of element.querySelectorAll(".text, .file-name")) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const { start, end } of placesOf(node.textContent ?? "", words)) {
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, end);
        ranges.push(range);
      }
    }
  }
  const made = new Highlight(...ranges);
  CSS.highlights.set("found", made);
  return () => {
    if (CSS.highlights.get("found") === made) CSS.highlights.delete("found");
  };
}
