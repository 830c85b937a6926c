// The parts of the settings. Those of the daemon are made from its list: a setting of a later version stands under "Other".
import type { Setting } from "../../contract/types";
import type { IconName } from "../../parts/icon";
import type { Table } from "../../store/table";
import { plain } from "../../text/plain";
import { isKey, t } from "../../text/t";
import type { Key } from "../../text/t";

export interface SectionEntry {
  path: string;
  label: Key;
  icon: IconName;
}

type DaemonSection = "notifications" | "privacy" | "messages" | "files" | "calls" | "couriers" | "phones" | "invite" | "other";

/** Where a setting stands, or those whose keys begin so. */
const sectionOf: Readonly<Record<string, DaemonSection>> = {
  contacts: "privacy", presence: "privacy", discovery: "privacy", privacy: "privacy", "messages.readReceipts": "privacy",
  notifications: "notifications", messages: "messages", files: "files", calls: "calls", courier: "couriers", localsend: "phones", invite: "invite",
};

export const sectionOfSetting = (setting: Setting): DaemonSection => sectionOf[setting.key] ?? sectionOf[setting.key.split(".")[0] ?? ""] ?? "other";

/** The daemon's settings of a section, in the order of its list. */
export const settingsOf = (table: Table<Setting>, section: string): Setting[] =>
  [...table.values()].filter((setting) => sectionOfSetting(setting) === section);

/** All sections, as listed. */
export function sectionEntries(table: Table<Setting>): SectionEntry[] {
  const hasOther = settingsOf(table, "other").length > 0;
  return [
    { path: "me", label: "nav.me", icon: "person" },
    { path: "settings/notifications", label: "settings.notifications", icon: "bell" },
    { path: "settings/appearance", label: "settings.appearance", icon: "eye" },
    { path: "settings/privacy", label: "settings.privacy", icon: "shield" },
    { path: "settings/messages", label: "settings.messages", icon: "chat" },
    { path: "settings/files", label: "settings.files", icon: "transfers" },
    { path: "settings/calls", label: "nav.calls", icon: "call" },
    { path: "settings/couriers", label: "couriers.title", icon: "parcel" },
    { path: "settings/phones", label: "phones.title", icon: "phone" },
    { path: "settings/invite", label: "settings.invite", icon: "mail" },
    ...(hasOther ? [{ path: "settings/other", label: "settings.other" as const, icon: "more" as const }] : []),
    { path: "settings/account", label: "settings.account", icon: "lock" },
    { path: "settings/browser", label: "settings.browser", icon: "open" },
    { path: "settings/keys", label: "keys.title", icon: "details" },
    { path: "doctor", label: "doctor.title", icon: "doctor" },
    { path: "about", label: "about.title", icon: "info" },
  ];
}

/** The name of a setting; for an unknown one of a later version, its key. */
export function settingLabel(setting: Setting): string {
  const key = `setting.${setting.key}`;
  return isKey(key) ? t(key) : setting.key;
}

/** What a setting does; empty if its name says all. */
export function settingHint(setting: Setting): string {
  const key = `setting.${setting.key}.hint`;
  if (isKey(key)) return t(key);
  return isKey(`setting.${setting.key}`) ? "" : setting.description;
}

/** One of the values that a setting may have. */
export function choiceLabel(setting: Setting, value: string): string {
  const key = `setting.${setting.key}.${value}`;
  return isKey(key) ? t(key) : value;
}

/** What this browser and the account have beside the daemon's list, for searching. */
const others: ReadonlyArray<{ path: string; label: Key }> = [
  { path: "settings/account", label: "account.passphrase" }, { path: "settings/account", label: "more.lock" }, { path: "settings/account", label: "backup.title" },
  { path: "settings/appearance", label: "language.label" }, { path: "settings/appearance", label: "more.theme" },
  { path: "settings/messages", label: "settings.writing" }, { path: "settings/calls", label: "call.devices" },
  { path: "settings/browser", label: "logins.title" }, { path: "me", label: "profile.picture" }, { path: "me", label: "signUp.name" },
  { path: "me", label: "profile.status" }, { path: "me", label: "profile.email" }, { path: "me", label: "profile.phone" },
  { path: "me", label: "profile.presence" }, { path: "me", label: "link.title" },
];

export interface FoundSetting {
  id: string;
  path: string;
  label: string;
  more: string;
  icon: IconName;
  /** What it is for, and its key: other words that find it. */
  also: string;
}

/** The sections, the settings, and what there is besides. */
export function allSettings(table: Table<Setting>): FoundSetting[] {
  const entries = sectionEntries(table);
  const within = (path: string): Pick<FoundSetting, "more" | "icon"> => {
    const entry = entries.find((one) => path === one.path || path.startsWith(`${one.path}/`));
    return { more: entry === undefined ? "" : t(entry.label), icon: entry?.icon ?? "settings" };
  };
  return [
    ...entries.map(({ path, label, icon }) => ({ id: path, path, label: t(label), more: "", icon, also: "" })),
    ...[...table.values()].map((setting) => {
      const path = `settings/${sectionOfSetting(setting)}/${setting.key}`;
      return { id: setting.key, path, label: settingLabel(setting), ...within(path), also: `${settingHint(setting)} ${setting.key}` };
    }),
    ...others.map(({ path, label }) => ({ id: `${path} ${label}`, path, label: t(label), ...within(path), also: "" })),
  ];
}

/** The settings that have each word of the query in their words or their key. */
export function findSettings(table: Table<Setting>, query: string): FoundSetting[] {
  const wanted = plain(query).split(/\s+/).filter((word) => word !== "");
  return allSettings(table).filter(({ label, more, also }) => {
    const words = plain(`${label} ${also} ${more}`);
    return wanted.every((word) => words.includes(word));
  });
}
