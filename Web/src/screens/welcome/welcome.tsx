// The first thing that a new user sees: what Kibo is, and what it keeps where.
import { useState } from "react";
import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/icon";
import { LanguageChoice } from "../../parts/languageChoice";
import { Logo } from "../../parts/logo";
import { t } from "../../text/t";
import type { Key } from "../../text/t";
import { SignUp } from "./signUp";

const facts: ReadonlyArray<{ icon: IconName; title: Key; text: Key }> = [
  { icon: "nearby", title: "welcome.network", text: "welcome.network.more" },
  { icon: "lock", title: "welcome.sealed", text: "welcome.sealed.more" },
  { icon: "folder", title: "welcome.kept", text: "welcome.kept.more" },
];

export default function Welcome() {
  const [isSigningUp, setSigningUp] = useState(false);
  if (isSigningUp) return <SignUp onBack={() => setSigningUp(false)} />;
  return (
    <main className="full">
      <div className="full-card">
        <div className="welcome-head">
          <Logo />
          <h1 className="welcome-title">{t("welcome.title")}</h1>
          <p className="quiet">{t("welcome.lead")}</p>
        </div>
        <ul className="column welcome-facts">
          {facts.map((fact) => (
            <li key={fact.title} className="welcome-fact">
              <span className="welcome-icon"><Icon name={fact.icon} size={20} /></span>
              <div>
                <h2>{t(fact.title)}</h2>
                <p className="small quiet">{t(fact.text)}</p>
              </div>
            </li>
          ))}
        </ul>
        <Button look="primary" wide autoFocus onClick={() => setSigningUp(true)}>{t("welcome.create")}</Button>
        <LanguageChoice />
      </div>
    </main>
  );
}
