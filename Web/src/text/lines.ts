// Kibo's own lines in a group, as sentences.
import type { Message } from "../contract/types";
import { listed } from "./format";
import { isolatedName } from "./safe";
import { isKey, t } from "./t";
import type { Values } from "./t";

export type Line = NonNullable<Message["line"]>;

function lineKey(line: Line): string {
  switch (line.action) {
    case "created": return line.subjects.length + line.more > 0 ? "createdWith" : "created";
    case "role_changed": return `role_changed.${line.role ?? "member"}`;
    case "described": return line.value ? "described" : "describedEmpty";
    case "avatar_changed": return line.gone ? "pictureGone" : "avatar_changed";
    case "history_changed": return line.count ? "history_changed" : "historyNone";
    default: return line.action;
  }
}

/** One of Kibo's own lines in a group: who did what, and to which members. */
export function lineText(line: Line): string {
  const kind = lineKey(line);
  // Behind "with" some languages have other forms.
  const isWith = kind === "createdWith";
  const subjects = line.subjects.map((person) => (person.own ? t(isWith ? "line.you.with" : "line.you") : isolatedName(person.name)));
  if (line.more > 0) subjects.push(t(isWith ? "line.more.with" : "line.more", { count: line.more }));
  const values: Values = {
    actor: isolatedName(line.actor.name), subjects: listed(subjects), value: isolatedName(line.value ?? ""),
    count: line.count ?? 0,
  };
  const key = `line.${kind}${line.actor.own ? ".own" : ""}`;
  const text = isKey(key) ? t(key, values) : line.action;
  return line.undone ? t("line.undone", { text }) : text;
}
