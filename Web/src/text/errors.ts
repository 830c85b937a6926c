// Refusals in the language of the page: by kind and hint. The daemon's English sentence is the last resort.
import type { Refused } from "../wire/refusal";
import { isKey, t } from "./t";
import type { Values } from "./t";

/** One or two sentences about a refusal: what it is, and what can be done about it. */
export function wording(error: Refused): string {
  const values: Values = {};
  for (const [name, value] of Object.entries(error.parameters)) {
    if (typeof value === "string" || typeof value === "number") values[name] = value;
  }
  const reason = `reason.${error.kind}`;
  const hint = error.hint === undefined ? "" : `hint.${error.hint}`;
  const first = isKey(reason) ? t(reason, values) : error.message;
  return isKey(hint) ? `${first} ${t(hint, values)}` : first;
}
