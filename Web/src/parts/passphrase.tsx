import { useState } from "react";
import { t } from "../text/t";
import { IconButton } from "./button";
import { Field } from "./field";

/** A field for a passphrase, which can be shown. */
export function PassphraseField({ label, value, onChange, hint, error, isNew = false, autoFocus = false }: {
  label: string; value: string; onChange: (value: string) => void; hint?: string; error?: string | undefined; isNew?: boolean; autoFocus?: boolean;
}) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="passphrase">
      <Field
        label={label} hint={hint} error={error} value={value} type={isShown ? "text" : "password"} dir="ltr" spellCheck={false} autoCapitalize="none"
        autoComplete={isNew ? "new-password" : "current-password"} autoFocus={autoFocus} onChange={(event) => onChange(event.target.value)}
      />
      <IconButton
        icon={isShown ? "eyeOff" : "eye"} label={t(isShown ? "passphrase.hide" : "passphrase.show")} small aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      />
    </div>
  );
}
