import { chosenLanguage, chooseLanguage } from "../text/language";
import { languages, t } from "../text/t";

/** Chooses the page's language. Each language is listed under its own name. */
export function LanguageChoice() {
  const now = chosenLanguage();
  return (
    <div className="languages" role="group" aria-label={t("language.label")}>
      {languages.map((language) => (
        <button
          key={language} type="button" className="tab" lang={language} aria-pressed={language === now}
          onClick={() => void chooseLanguage(language)}
        >
          {new Intl.DisplayNames(language, { type: "language" }).of(language)}
        </button>
      ))}
    </div>
  );
}
