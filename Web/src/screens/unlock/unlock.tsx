// Opens an account that a passphrase locks.
import { useEffect, useState } from "react";
import type { FormEvent } from "react";
import { useStore } from "../../base/store";
import type { Params } from "../../contract/methods";
import type { Account } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Check } from "../../parts/field";
import { LanguageChoice } from "../../parts/languageChoice";
import { PassphraseField } from "../../parts/passphrase";
import { Name, Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { self, takeAccount } from "../../store/account";
import { wording } from "../../text/errors";
import { t } from "../../text/t";
import { asRefused } from "../../wire/refusal";
import { call } from "../../wire/rpc";

/** Counts the seconds down that the daemon wants a caller to wait. */
function useWait(seconds: number | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (seconds === null) return;
    const end = Date.now() + seconds * 1000;
    const tick = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [seconds]);
  return left;
}

/** The longest wait that the page sits out by itself, in seconds: so that a passphrase which is corrected quickly opens. */
const SHORT_WAIT = 3;

async function open(params: Params<"account.unlock">): Promise<Account> {
  for (;;) {
    try {
      return await call("account.unlock", params);
    } catch (error) {
      const { kind, parameters } = asRefused(error);
      const seconds = parameters["seconds"];
      if (kind !== "busy" || typeof seconds !== "number" || seconds > SHORT_WAIT) throw error;
      await new Promise((done) => setTimeout(done, seconds * 1000));
    }
  }
}

export default function Unlock() {
  const account = useStore(self, (now) => now.account);
  const [passphrase, setPassphrase] = useState("");
  const [remember, setRemember] = useState(account?.remembered ?? false);
  const task = useTask();
  const wanted = task.refused?.parameters["seconds"];
  // A new refusal begins a new wait, also of as many seconds.
  const [wait, setWait] = useState<number | null>(null);
  useEffect(() => setWait(typeof wanted === "number" ? wanted : null), [task.refused, wanted]);
  const left = useWait(wait);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (passphrase === "" || left > 0) return;
    void task.run(async () => {
      const opened = await open({ passphrase, ...(remember === account?.remembered ? {} : { remember }) });
      setPassphrase("");
      takeAccount(opened);
    });
  };
  if (account === null) return null;
  return (
    <main className="full">
      <form className="full-card" onSubmit={submit} noValidate>
        <div className="welcome-head">
          <Avatar id={account.id} name={account.displayName} size="xl" picture={account.picture} />
          <h1 className="welcome-title"><Name>{account.displayName}</Name></h1>
          <p className="quiet">{t("unlock.lead")}</p>
        </div>
        {/* A password manager keeps the passphrase under this name. */}
        <input type="text" name="username" autoComplete="username" value={account.displayName} readOnly hidden />
        <PassphraseField label={t("passphrase.label")} value={passphrase} autoFocus onChange={setPassphrase} />
        <Check checked={remember} onChange={setRemember}>
          {t("passphrase.remember")}<span className="field-hint block">{t("passphrase.remember.hint")}</span>
        </Check>
        {left > 0
          ? <Note look="warn" alert>{t("unlock.wait", { count: left })}</Note>
          : task.refused !== null && <Note look="danger" alert>{wait === null ? wording(task.refused) : t("reason.wrong_passphrase")}</Note>}
        <Button look="primary" wide type="submit" busy={task.busy} disabled={passphrase === "" || left > 0}>{t("unlock.open")}</Button>
        <details className="more">
          <summary>{t("unlock.forgotten")}</summary>
          <p className="small quiet">{t("unlock.forgotten.more")}</p>
        </details>
        <LanguageChoice />
      </form>
    </main>
  );
}
