// Which language the page speaks: the chosen one, or the first of the browser's that we have.
import { languages, setCatalogue } from "./t";
import type { Language } from "./t";

export function chosenLanguage(): Language {
  const kept = localStorage.getItem("kibo.language");
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
  setCatalogue(language, loaded.default);
  document.documentElement.lang = language;
}
