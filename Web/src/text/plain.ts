// Names are found whatever their case and accents.

/** Letters without case and accents, for comparing. */
export const plain = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** Says of a text whether a query is in it. */
export function finder(query: string): (text: string) => boolean {
  const wanted = plain(query.trim());
  return wanted === "" ? () => true : (text) => plain(text).includes(wanted);
}
