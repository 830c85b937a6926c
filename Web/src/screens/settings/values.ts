// Values of settings as people read and write them.
import type { Json, Setting } from "../../contract/types";
import { byteUnits, listed } from "../../text/format";
import { t } from "../../text/t";
import { choiceLabel } from "./sections";

/** The strings of a list; none of anything else. */
export const strings = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** The unit of a number, which the key tells. */
export const unitOf = (setting: Setting): "bytes" | "days" | "none" =>
  setting.key.endsWith("Bytes") ? "bytes" : setting.key.endsWith("Days") ? "days" : "none";

export type ByteUnit = (typeof byteUnits)[number];

/** The largest unit that a number of bytes has at least one of, with at most two decimals. */
export function byteUnitOf(bytes: number): ByteUnit {
  const fits = byteUnits.filter((unit) => bytes >= byteSize(unit) && Number.isInteger((bytes / byteSize(unit)) * 100));
  return fits[fits.length - 1] ?? (bytes === 0 ? "mib" : "byte");
}

export const byteSize = (unit: ByteUnit): number => 1024 ** byteUnits.indexOf(unit);

/** A value in words; empty for a long text. */
export function valueText(setting: Setting, value: Json): string {
  if (typeof value === "boolean") return t(value ? "settings.on" : "settings.off");
  if (typeof value === "number") {
    const unit = unitOf(setting);
    if (unit === "bytes") {
      const name = byteUnitOf(value);
      return `${(value / byteSize(name)).toLocaleString()} ${t(`unit.${name}`)}`;
    }
    return unit === "days" ? t(value === 0 ? "settings.keep" : "settings.days", { count: value }) : value.toLocaleString();
  }
  if (Array.isArray(value)) return listed(strings(value).map((one) => choiceLabel(setting, one)));
  if (typeof value !== "string" || (value.length > 60 && setting.limits?.["enum"] === undefined)) return "";
  return choiceLabel(setting, value);
}
