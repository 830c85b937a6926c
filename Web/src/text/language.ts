// Which language the page speaks: the chosen one, or the first of the browser's that we have.
import { Store } from "../base/store";
import { languages, setCatalogue } from "./t";
import type { Catalogue, Language } from "./t";

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

/** Whether the words are wanted that come with some screens only. */
let isLater = false;
/** The last loading. Of several that overlap the last one counts. */
let loading: Promise<void> = Promise.resolve();
let turn = 0;

async function catalogue(language: Language): Promise<Partial<Catalogue>> {
  const isGerman = language === "de";
  const first = (isGerman ? await import("../../messages/de") : await import("../../messages/en")).default;
  if (!isLater) return first;
  return { ...first, ...(isGerman ? await import("../../messages/de.later") : await import("../../messages/en.later")).default };
}

async function load(language: Language, mine: number): Promise<void> {
  const change = pseudo();
  const words = await catalogue(language);
  const changed = change === null ? words : (await import("./pseudo"))[change](words as Catalogue);
  if (mine !== turn) return loading;
  setCatalogue(language, changed);
  document.documentElement.lang = language;
  document.documentElement.dir = change === "mirrored" ? "rtl" : "ltr";
  spoken.set(language);
}

/** Loads a catalogue and makes it count. */
export function loadLanguage(language: Language): Promise<void> {
  turn += 1;
  loading = load(language, turn);
  return loading;
}

/** Loads the words that come with some screens only. */
export function laterWords(): Promise<void> {
  if (isLater) return loading;
  isLater = true;
  return loadLanguage(chosenLanguage()).catch((error: unknown) => {
    isLater = false;
    throw error;
  });
}

/** The language that everything is drawn in; whatever shows words is drawn again when it changes. */
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
