// Which language the page speaks: the chosen one, or the first of the browser's that we have.
import { Store } from "../store/store";
import { languages, setCatalogue } from "./t";
import type { Language } from "./t";

/** A made-up language that tests choose: with long words, or written from the right. */
type Pseudo = "long" | "mirrored";

const chosenKey = "kibo.language";
const pseudo = (): Pseudo | null => {
  const kept = localStorage.getItem(chosenKey);
  return kept === "long" || kept === "mirrored" ? kept : null;
};

export function chosenLanguage(): Language {
  const kept = localStorage.getItem(chosenKey);
  const wanted = kept === null ? navigator.languages : [kept, ...navigator.languages];
  for (const tag of wanted) {
    const found = languages.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found !== undefined) return found;
  }
  return "en";
}

/** Loads a catalogue and makes it count. */
export async function loadLanguage(language: Language): Promise<void> {
  const loaded = language === "de" ? await import("../../messages/de") : await import("../../messages/en");
  const change = pseudo();
  setCatalogue(language, change === null ? loaded.default : (await import("./pseudo"))[change](loaded.default));
  document.documentElement.lang = language;
  document.documentElement.dir = change === "mirrored" ? "rtl" : "ltr";
  spoken.set(language);
}

/** The language in which everything is drawn; whatever shows words is drawn anew when it changes. */
export const spoken = new Store<Language>("en");

/** Takes over what another tab has chosen. */
export function watchLanguage(): void {
  addEventListener("storage", (event) => {
    if (event.key === chosenKey) void loadLanguage(chosenLanguage());
  });
}

/** Shows everything in another language, now and when the page is opened again. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(chosenKey, language);
  await loadLanguage(language);
}
