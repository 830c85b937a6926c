// The rules for one's own name, as in the contract.
import { t } from "./t";

/** The lengths of a name, in characters. */
const SHORTEST = 1;
const LONGEST = 50;

/** What is wrong with a name, in words; null if nothing is. */
export function nameProblem(name: string): string | null {
  const length = [...new Intl.Segmenter().segment(name.trim())].length;
  if (length < SHORTEST) return t("signUp.name.empty");
  return length > LONGEST ? t("signUp.name.long", { count: LONGEST }) : null;
}
