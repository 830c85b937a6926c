import { useState } from "react";
import { t } from "../text/t";
import { countryLabel, useCountries } from "./countries";
import type { Country } from "./countries";
import { Field } from "./field";
import { Select } from "./select";

/** The whole number, without the digits that are dialled before a national number. */
function international(country: Country | undefined, typed: string): string {
  const digits = typed.replace(/[^\d+]/g, "");
  if (digits === "" || digits.startsWith("+") || country === undefined) return digits;
  const prefix = country.trunkPrefix;
  const national = prefix !== "" && digits.startsWith(prefix) ? digits.slice(prefix.length) : digits;
  return `+${country.callingCode}${national}`;
}

/** A telephone number with its country. The result is international or empty, and so must the initial value be. */
export function PhoneField({ onChange, initial = "", error }: { onChange: (phone: string) => void; initial?: string; error?: string | undefined }) {
  const { countries, usual } = useCountries();
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState(initial);
  // A number that is whole has its country in it.
  const region = chosen ?? (initial === "" ? usual : "");
  const change = (nextRegion: string, next: string) => {
    setChosen(nextRegion);
    setTyped(next);
    onChange(international(countries.find((country) => country.region === nextRegion), next));
  };
  return (
    <div className="phone">
      {countries.length > 0 && (
        <Select
          label={t("profile.country")} value={region} onChange={(next) => change(next, typed)}
          options={[{ value: "", label: t("profile.country.none") }, ...countries.map((country) => ({ value: country.region, label: countryLabel(country) }))]}
        />
      )}
      <Field
        label={t("profile.phone")} value={typed} type="tel" inputMode="tel" dir="ltr" autoComplete="tel-national" error={error}
        onChange={(event) => change(region, event.target.value)}
      />
    </div>
  );
}
