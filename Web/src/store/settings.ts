import { Store } from "../base/store";
import type { SettingKey, Settings } from "../contract/settings";
import type { Json, Setting } from "../contract/types";
import { seenNow } from "../wire/events";
import { call } from "../wire/rpc";
import { Table } from "./table";

/** The daemon's settings, by key, in the order of its list. */
export const settings = new Store<Table<Setting>>(Table.empty());

export const takeSettings = (list: readonly Setting[], seq: number): void =>
  settings.update((table) => table.put(list.map((setting) => [setting.key, setting]), seq));

export async function loadSettings(): Promise<void> {
  const asked = seenNow();
  takeSettings((await call("settings.list")).settings, asked);
}

/** The value of a setting, or what is given while it isn't known. */
export const settingOf = <K extends SettingKey>(table: Table<Setting>, key: K, otherwise: Settings[K]): Settings[K] =>
  (table.get(key)?.value as Settings[K] | undefined) ?? otherwise;

/** Sets it, or brings its default back with null: shows it at once, and takes it back if it is refused. */
export async function setSetting(key: string, value: Json): Promise<void> {
  const before = settings.get().get(key);
  const patch = (from: Json | undefined, to: Json) =>
    settings.update((table) => table.patch(key, (setting) => (setting.value === from ? { ...setting, value: to } : setting)));
  if (before !== undefined && value !== null) patch(before.value, value);
  try {
    const asked = seenNow();
    takeSettings([await call("settings.set", { key, value })], asked);
  } catch (error) {
    if (before !== undefined && value !== null) patch(value, before.value);
    throw error;
  }
}
