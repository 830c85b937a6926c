import { useEffect, useState } from "react";
import type { Result } from "../contract/methods";
import { currentLanguage, t } from "../text/t";
import { call } from "../wire/rpc";
import { Field } from "./field";
import { Select } from "./select";

type Country = Result<"addressBook.countries">["countries"][number];

/** The whole number: what is dialled before a national number is no part of it. */
function international(country: Country | undefined, typed: string): string {
  const digits = typed.replace(/[^\d+]/g, "");
  if (digits === "" || digits.startsWith("+") || country === undefined) return digits;
  const prefix = country.trunkPrefix;
  const national = prefix !== "" && digits.startsWith(prefix) ? digits.slice(prefix.length) : digits;
  return `+${country.callingCode}${national}`;
}

/** A telephone number with its country. What comes out is international, or empty; so is what may stand there at first. */
export function PhoneField({ onChange, initial = "", error }: { onChange: (phone: string) => void; initial?: string; error?: string | undefined }) {
  const [countries, setCountries] = useState<Country[]>([]);
  const [region, setRegion] = useState("");
  const [typed, setTyped] = useState(initial);
  useEffect(() => {
    call("addressBook.countries").then((answer) => {
      const names = new Intl.DisplayNames(currentLanguage(), { type: "region" });
      const nameOf = (country: Country) => names.of(country.region) ?? country.name;
      setCountries(answer.countries.map((country) => ({ ...country, name: nameOf(country) })).sort((a, b) => a.name.localeCompare(b.name)));
      // A number that is whole has its country in it.
      setRegion((now) => (now === "" && initial === "" ? answer.default ?? "" : now));
    }, () => undefined);
  }, [initial]);
  const change = (nextRegion: string, next: string) => {
    setRegion(nextRegion);
    setTyped(next);
    onChange(international(countries.find((country) => country.region === nextRegion), next));
  };
  return (
    <div className="phone">
      {countries.length > 0 && (
        <Select
          label={t("profile.country")} value={region} onChange={(next) => change(next, typed)}
          options={[{ value: "", label: t("profile.country.none") }, ...countries.map((country) => ({ value: country.region, label: `${country.name} (+${country.callingCode})` }))]}
        />
      )}
      <Field
        label={t("profile.phone")} value={typed} type="tel" inputMode="tel" dir="ltr" autoComplete="tel-national" error={error}
        onChange={(event) => change(region, event.target.value)}
      />
    </div>
  );
}
