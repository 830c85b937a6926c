// Refusals in the language of the page, by kind and hint. The daemon's English sentence is the last resort.
import type { DialProblem, HintCode, LeftOutCause, Reason } from "../contract/codes";
import type { Json } from "../contract/types";
import type { Refused } from "../wire/refusal";
import { visible, visibleLine, isolatedName } from "./safe";
import { isKey, t } from "./t";
import type { Values } from "./t";

type Parameters = { readonly [name: string]: Json };

/** Why something was refused or has failed; what the daemon adds for people stands behind it. */
export function reasonText(reason: Reason, detail?: string | null): string {
  const key = `reason.${reason}`;
  const text = isKey(key) ? t(key) : reason;
  return detail ? `${text} (${visibleLine(detail)})` : text;
}

/** Why something is not taken or does not work: in the user's language where it is a reason of the contract, else in the daemon's words. */
export function codeText(words: string): string {
  const key = `reason.${words}`;
  return isKey(key) ? t(key) : visibleLine(words);
}

/** Why a device could not be reached. The system's own words for it are for the log. */
export function dialText(problem: DialProblem): string {
  const key = `dial.${problem}`;
  return isKey(key) ? t(key) : problem;
}

/** The types of files for which an offer is held back: `.zip, .exe`. */
export const typesText = (types: readonly unknown[] | undefined): string =>
  (types ?? []).map((type) => (typeof type === "string" && type !== "" ? `.${visibleLine(type)}` : t("file.noType"))).join(", ");

/** Why a file was left out of a transfer. */
export function leftOutText(cause: LeftOutCause | undefined, reason: Reason, detail?: string | null): string {
  const key = `leftOut.${cause}`;
  return isKey(key) ? t(key) : reasonText(reason, detail);
}

/** The values for the placeholders in words. */
function named(parameters: Parameters): Values {
  const values: Values = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === "number") values[name] = value;
    if (typeof value === "string" && value !== "") values[name] = isolatedName(value);
    if (Array.isArray(value)) values[name] = value.map((one) => visibleLine(String(one))).join(", ");
  }
  return values;
}

/** What can be done about a refusal; empty if this page has no words for it. */
export function hintText(hint: HintCode, parameters: Parameters = {}): string {
  // This hint is about the placeholder itself.
  const values: Values = { name: hint === "separate_or_nameless" ? "{name}" : t("hint.thisPerson"), group: t("hint.theGroup"), ...named(parameters) };
  if (hint === "use_default" && values.values !== undefined) return t("hint.useDefaultOf", values);
  if (hint === "use_default" && values.least !== undefined) return t("hint.useDefaultBetween", values);
  const key = `hint.${hint}`;
  return isKey(key) ? t(key, values) : "";
}

/** One or two sentences about a refusal: what happened, and what can be done about it. */
export function wording(error: Refused): string {
  // If the page has words for it, the sentence says which of several fields is meant.
  const field = error.kind === "invalid" ? `invalid.${error.field}` : `too_large.${error.field}`;
  const key = (error.kind === "invalid" || error.kind === "too_large") && isKey(field) ? field
    : error.kind === "type_not_allowed" && error.hint === "rename_file" ? "reason.otherContent" : `reason.${error.kind}`;
  const reason = isKey(key) ? t(key, named(error.parameters)) : visible(error.message);
  const hint = error.hint === undefined ? "" : hintText(error.hint, error.parameters);
  const problem = error.parameters?.problem;
  const parts = [reason, typeof problem === "string" ? dialText(problem as DialProblem) : "", hint];
  return parts.filter((part) => part !== "").join(" ");
}
