import { isKey, t } from "./t";

/** Keys as they stand on a keyboard of the language: `Ctrl+K` is `Strg+K` on a German one. */
export const keyNames = (keys: string): string => keys.split("+").map((one) => {
  const name = `keys.name.${one}`;
  return isKey(name) ? t(name) : one;
}).join("+");
