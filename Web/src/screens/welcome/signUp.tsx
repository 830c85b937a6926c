// Makes the account: a name is enough, everything else may be left out or added later.
import { useRef, useState } from "react";
import type { FormEvent } from "react";
import { Avatar } from "../../parts/avatar";
import { Button, IconButton } from "../../parts/button";
import { Check, Field } from "../../parts/field";
import { PassphraseField } from "../../parts/passphrase";
import { PhoneField } from "../../parts/phone";
import { PictureChoice } from "../../parts/pictureChoice";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { takeAccount } from "../../store/account";
import { go } from "../../store/router";
import { profileProblem } from "../../store/signUp";
import { wording } from "../../text/errors";
import { nameProblem } from "../../text/names";
import { t } from "../../text/t";
import { asRefused } from "../../wire/refusal";
import { call } from "../../wire/rpc";
import { uploadPicture } from "../../wire/upload";

/** What an e-mail address is for the contract, too: no white space, and one @ between two parts. */
const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text);

interface Profile {
  email: string;
  phone: string;
  picture: File | null;
}

/** Adds the optional fields to a new account. If one is refused, the next screen says so, because the account already exists. */
async function complete({ email, phone, picture }: Profile): Promise<void> {
  try {
    const avatarPath = picture === null ? null : await uploadPicture(picture);
    const changes = { ...(email === "" ? {} : { email }), ...(phone === "" ? {} : { phone }), ...(avatarPath === null ? {} : { avatarPath }) };
    if (Object.keys(changes).length > 0) takeAccount(await call("account.update", changes));
  } catch (error) {
    profileProblem.set(wording(asRefused(error)));
  }
}

export function SignUp({ onBack }: { onBack: () => void }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [phone, setPhone] = useState("");
  const [picture, setPicture] = useState<File | null>(null);
  const [isSealed, setSealed] = useState(false);
  const [passphrase, setPassphrase] = useState("");
  const [again, setAgain] = useState("");
  const [remember, setRemember] = useState(false);
  const [isTried, setTried] = useState(false);
  const task = useTask();
  const more = useRef<HTMLDetailsElement>(null);

  const trimmed = name.trim();
  const wrongName = nameProblem(name);
  const sealProblem = isSealed && passphrase === "" ? t("signUp.passphrase.empty") : null;
  const againProblem = isSealed && passphrase !== again ? t("signUp.passphrase.different") : null;
  const emailProblem = email.trim() === "" || isEmail(email.trim()) ? null : `${t("invalid.email")} ${t("hint.give_email")}`;
  const shown = (problem: string | null): string | undefined => (isTried ? problem ?? undefined : undefined);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (wrongName !== null || sealProblem !== null || againProblem !== null || emailProblem !== null) {
      if (emailProblem !== null) more.current?.setAttribute("open", "");
      const form = event.currentTarget;
      // The first field that is wrong is marked with the next frame.
      requestAnimationFrame(() => form.querySelector<HTMLElement>("[aria-invalid]")?.focus());
      return;
    }
    void task.run(async () => {
      // The page turns to its first steps as soon as there is an account.
      go("start", true);
      const account = await call("account.create", { displayName: trimmed, ...(isSealed ? { passphrase, remember } : {}) });
      takeAccount(account);
      await complete({ email: email.trim(), phone, picture });
    });
  };

  return (
    <main className="full">
      <form className="full-card" onSubmit={submit} noValidate>
        <div className="row">
          <IconButton icon="back" label={t("common.back")} onClick={onBack} />
          <h1 className="card-title">{t("signUp.title")}</h1>
        </div>
        <div className="sign-up-face">
          <PictureChoice picture={picture} onChange={setPicture}>
            <Avatar id={trimmed} name={trimmed} size="xl" />
          </PictureChoice>
        </div>
        <Field
          label={t("signUp.name")} hint={t("signUp.name.hint")} error={shown(wrongName)} value={name} required autoFocus autoComplete="name"
          onChange={(event) => setName(event.target.value)}
        />
        <Check checked={isSealed} onChange={setSealed}>
          {t("signUp.seal")}<span className="field-hint block">{t("signUp.seal.hint")}</span>
        </Check>
        {isSealed && (
          <div className="column inset">
            <PassphraseField
              label={t("passphrase.new")} hint={t("signUp.passphrase.hint")} error={shown(sealProblem)} isNew value={passphrase} onChange={setPassphrase}
            />
            <PassphraseField label={t("passphrase.again")} error={shown(againProblem)} isNew value={again} onChange={setAgain} />
            <Check checked={remember} onChange={setRemember}>
              {t("passphrase.remember")}<span className="field-hint block">{t("passphrase.remember.hint")}</span>
            </Check>
          </div>
        )}
        <details className="more" ref={more}>
          <summary>{t("signUp.more")}</summary>
          <div className="column">
            <Field
              label={t("profile.email")} hint={t("signUp.email.hint")} error={shown(emailProblem)} value={email} type="email" inputMode="email" dir="ltr" autoComplete="email"
              onChange={(event) => setEmail(event.target.value)}
            />
            <PhoneField onChange={setPhone} />
          </div>
        </details>
        {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
        <Button look="primary" wide type="submit" busy={task.busy}>{t("signUp.create")}</Button>
      </form>
    </main>
  );
}
