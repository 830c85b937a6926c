// The story of a message: what has happened to it, and what it waits for.
import type { DialProblem, Reason, StoryState, StoryStep } from "../contract/codes";
import type { Json } from "../contract/types";
import { dialText, reasonText, typesText } from "./errors";
import { lastDay, listed, relativeTime, size } from "./format";
import { isolatedName, visibleLine } from "./safe";
import { isKey, t } from "./t";
import type { Values } from "./t";

const NAMED_FILES = 4;

type Parameters = { readonly [name: string]: Json };

/** The words of a code; a code of a later version stands for itself. */
function words(key: string, values: Values, code: string): string {
  return isKey(key) ? t(key, values).trim() : code;
}

/** Names of people or files, all of them. */
function names(value: Json | undefined): string {
  return Array.isArray(value) ? listed(value.map((one) => isolatedName(String(one)))) : "";
}

/** Names of files; there may be many. */
function fileNames(value: Json | undefined): string {
  if (!Array.isArray(value) || value.length <= NAMED_FILES) return names(value);
  const named = value.slice(0, NAMED_FILES - 1).map((one) => isolatedName(String(one)));
  return listed([...named, t("story.more", { count: value.length - named.length })]);
}

function storyValues(parameters: Parameters): Values {
  const text = (name: string) => (typeof parameters[name] === "string" ? String(parameters[name]) : "");
  const number = (name: string) => (typeof parameters[name] === "number" ? Number(parameters[name]) : 0);
  const reason = text("reason") === "" ? "" : reasonText(text("reason") as Reason, text("detail"));
  const holder = `story.pausedBy.${text("by")}`;
  return {
    name: text("name") === "" ? t("story.member") : isolatedName(text("name")),
    courier: isolatedName(text("courier")), day: lastDay(number("until")),
    couriers: names(parameters.couriers), files: fileNames(parameters.files),
    file: isolatedName(text("file")), address: visibleLine(text("address")) || t("story.address"),
    at: number("at") === 0 ? t("time.now") : relativeTime(number("at")), detail: visibleLine(text("detail")),
    problem: text("problem") === "" ? "" : dialText(text("problem") as DialProblem),
    reason: isKey(holder) ? t(holder) : reason || visibleLine(text("detail")),
    types: Array.isArray(parameters.types) ? typesText(parameters.types) : "", done: size(number("done")), size: size(number("size")),
    leftOut: number("leftOut") > 0 ? t("story.leftOut", { count: number("leftOut") }) : "",
  };
}

/** Says which side has cancelled a file; null if a reason says why it ended. */
function cancelledText(parameters: Parameters, values: Values): string | null {
  const key = `story.cancelledBy.${String(parameters.by)}`;
  return isKey(key) ? t(key, values) : null;
}

/** A step of a message's story: what has happened. */
export function storyStepText(code: StoryStep, parameters: Parameters): string {
  const values = storyValues(parameters);
  if (code === "file_declined" && parameters.name === undefined) values.name = t("story.thisSide");
  if (code === "not_taken" && parameters.reason === "no_space") return t("story.step.diskFull", values);
  if (code === "brought" && parameters.courier !== undefined) return t("story.step.broughtBy", values);
  const cancelled = code === "file_cancelled" ? cancelledText(parameters, values) : null;
  return cancelled ?? words(`story.step.${code}`, values, code);
}

/** How a message stands, and what it waits for. */
export function storyStateText(code: StoryState, parameters: Parameters): string {
  const values = storyValues(parameters);
  if (code === "file_declined" && parameters.name === undefined) values.name = t("story.thisSide");
  if (code === "file_paused" && values.reason === "") values.reason = t("story.goesOn");
  if (code === "waits" && parameters.deletion === true) return t("story.state.waitsDeletion", values);
  if (code === "waits" && parameters.at === undefined) return t("story.state.waitsNever", values);
  if (code === "not_taken" && parameters.reason === "no_space") return t("story.state.diskFull", values);
  const cancelled = code === "file_cancelled" ? cancelledText(parameters, values) : null;
  return cancelled ?? words(`story.state.${code}`, values, code);
}
