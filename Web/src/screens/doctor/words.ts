// What the doctor has found and what can be done about it, by code.
import type { DoctorAdvice, DoctorFinding } from "../../contract/codes";
import type { DoctorCheck, Json } from "../../contract/types";
import { listed, size } from "../../text/format";
import { isolatedName, visibleLine } from "../../text/safe";
import { isKey, t } from "../../text/t";
import type { Values } from "../../text/t";

type Parameters = { readonly [name: string]: Json };

/** Names that are listed; the others are counted. */
const LISTED = 10;

const textOf = (value: Json | undefined): string => {
  if (typeof value === "string") return isolatedName(value);
  if (typeof value === "number") return String(value);
  return Array.isArray(value) ? listed(value.map(textOf)) : "";
};

function names(value: Json | undefined): string {
  const all = Array.isArray(value) ? value.map(textOf) : [];
  const more = all.length - LISTED;
  return listed(more > 0 ? [...all.slice(0, LISTED), t("doctor.others", { count: more })] : all);
}

/** A path is included only if this connection may know it. */
function values(parameters: Parameters): Values {
  const given = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, textOf(value)]));
  const place = `doctor.place.${given["what"] ?? ""}`;
  return {
    ...given,
    path: given["path"] === undefined || given["path"] === "" ? t("doctor.dataFolder") : given["path"],
    name: given["name"] === undefined || given["name"] === "" ? t("hint.thisPerson") : given["name"],
    host: given["host"] === undefined || given["host"] === "" ? t("doctor.friendsHost") : given["host"],
    names: names(parameters["names"]), detail: visibleLine(given["detail"] ?? ""), size: size(typeof parameters["bytes"] === "number" ? parameters["bytes"] : 0),
    place: isKey(place) ? t(place) : given["what"] ?? "",
  };
}

/** The words of a code; a code of a later version stands for itself. */
function words(key: string, parameters: Parameters, code: string): string {
  return isKey(key) ? t(key, values(parameters)) : code;
}

export function findingText(code: DoctorFinding, parameters: Parameters): string {
  if (code === "clock_far_off" || code === "clocks_too_far" || code === "clock_apart") return words(`doctor.finding.${code}.${parameters["behind"] === true ? "behind" : "ahead"}`, parameters, code);
  if ((code === "keys_given" || code === "keys_missing") && parameters["mode"] === "silent") return words(`doctor.finding.${code}.silent`, parameters, code);
  if (code === "interface" && parameters["carrier"] === false) return words("doctor.finding.interface.bare", parameters, code);
  return words(`doctor.finding.${code}`, parameters, code);
}

export const adviceText = (code: DoctorAdvice, parameters: Parameters): string => words(`doctor.advice.${code}`, parameters, code);

/** The commands that an advice tells the user to type into a terminal, one per line. */
export function commandsOf(parameters: Parameters): string {
  const value = parameters["commands"];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").join("\n") : typeof value === "string" ? value : "";
}

export function checkName(check: DoctorCheck): string {
  const key = `doctor.check.${check.name}`;
  return isKey(key) ? t(key) : check.name;
}

/** All of it as text, to be sent to somebody who can help. */
export function reportText(checks: readonly DoctorCheck[]): string {
  return checks.map((check) => {
    const found = check.findings.map(({ code, parameters }) => findingText(code, parameters));
    const advice = check.advice.flatMap(({ code, parameters }) => [`  → ${adviceText(code, parameters)}`, ...commandsOf(parameters).split("\n").filter((line) => line !== "").map((line) => `    ${line}`)]);
    return [`${check.ok ? "✓" : "✗"} ${checkName(check)}: ${found.join(" ")}`, ...advice].join("\n");
  }).join("\n");
}
