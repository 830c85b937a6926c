import { useEffect, useState } from "react";
import type { Result } from "../contract/methods";
import { currentLanguage } from "../text/t";
import { call } from "../wire/rpc";

export type Country = Result<"addressBook.countries">["countries"][number];

/** The countries with their names in the page's language, and the country that is assumed for numbers without +. */
export function useCountries(): { countries: readonly Country[]; usual: string } {
  const [all, setAll] = useState<{ countries: readonly Country[]; usual: string }>({ countries: [], usual: "" });
  useEffect(() => {
    call("addressBook.countries").then((answer) => {
      const names = new Intl.DisplayNames(currentLanguage(), { type: "region" });
      const named = answer.countries.map((country) => ({ ...country, name: names.of(country.region) ?? country.name }));
      setAll({ countries: named.sort((a, b) => a.name.localeCompare(b.name)), usual: answer.default ?? "" });
    }, () => undefined);
  }, []);
  return all;
}

/** A country in a list of them: `Germany (+49)`. */
export const countryLabel = (country: Country): string => `${country.name} (+${country.callingCode})`;
