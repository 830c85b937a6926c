// What protects the account: the passphrase, the lock and backups.
import { useState } from "react";
import type { FormEvent } from "react";
import { useStore, useWhole } from "../../base/store";
import type { Account } from "../../contract/types";
import { Button } from "../../parts/button";
import { Check } from "../../parts/field";
import { PassphraseField } from "../../parts/passphrase";
import { Select } from "../../parts/select";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { self, takeAccount } from "../../store/account";
import { browser, setBrowser } from "../../store/browser";
import { notify } from "../../store/notices";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";
import { Backup } from "./backup";

const empty = { old: "", next: "", again: "" };

/** Sets the passphrase, changes it, or takes it away. */
function Passphrase({ account }: { account: Account }) {
  const [words, setWords] = useState(empty);
  const [isRemoved, setRemoved] = useState(false);
  const [isTried, setTried] = useState(false);
  const task = useTask();
  const { hasPassphrase } = account;
  const isWrong = task.refused?.kind === "wrong_passphrase";
  const oldProblem = hasPassphrase && words.old === "" ? t("signUp.passphrase.empty") : null;
  const nextProblem = !isRemoved && words.next === "" ? t("signUp.passphrase.empty") : null;
  const againProblem = !isRemoved && words.next !== words.again ? t("signUp.passphrase.different") : null;
  const shown = (problem: string | null) => (isTried ? problem ?? undefined : undefined);
  const change = (values: Partial<typeof empty>) => {
    setWords((now) => ({ ...now, ...values }));
    task.clear();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (oldProblem !== null || nextProblem !== null || againProblem !== null) return;
    void task.run(async () => {
      takeAccount(await call("account.changePassphrase", { ...(hasPassphrase ? { old: words.old } : {}), ...(isRemoved ? {} : { new: words.next }) }));
      notify(t(isRemoved ? "account.passphrase.isGone" : hasPassphrase ? "account.passphrase.isChanged" : "account.passphrase.isSet"));
      setWords(empty);
      setRemoved(false);
      setTried(false);
    });
  };
  return (
    <section className="section" aria-labelledby="account-passphrase">
      <h2 id="account-passphrase">{t("account.passphrase")}</h2>
      <p className="small quiet">{t(hasPassphrase ? "account.passphrase.on" : "account.passphrase.off")}</p>
      <form className="column" onSubmit={submit} noValidate>
        {/* A password manager keeps the passphrase under this name. */}
        <input type="text" name="username" autoComplete="username" value={account.displayName} readOnly hidden />
        {hasPassphrase && (
          <PassphraseField
            label={t("account.passphrase.old")} error={isWrong ? task.error ?? undefined : shown(oldProblem)} value={words.old} onChange={(old) => change({ old })}
          />
        )}
        {!isRemoved && (
          <>
            <PassphraseField
              label={t("account.passphrase.new")} hint={t("signUp.passphrase.hint")} error={shown(nextProblem)} isNew value={words.next}
              onChange={(next) => change({ next })}
            />
            <PassphraseField label={t("account.passphrase.again")} error={shown(againProblem)} isNew value={words.again} onChange={(again) => change({ again })} />
          </>
        )}
        {hasPassphrase && <Check checked={isRemoved} onChange={setRemoved}>{t("account.passphrase.none")}</Check>}
        {isRemoved && <Note look="warn">{t("signUp.seal.hint")}</Note>}
        {task.error !== null && !isWrong && <Note look="danger" alert>{task.error}</Note>}
        <div className="row">
          <Button look={isRemoved ? "danger" : "primary"} type="submit" busy={task.busy}>
            {t(isRemoved ? "account.passphrase.remove" : hasPassphrase ? "account.passphrase.change" : "account.passphrase.set")}
          </Button>
        </div>
      </form>
    </section>
  );
}

/** After how many minutes without input it is locked by itself. */
const WAITS = [0, 1, 5, 15, 60];

function Lock({ account }: { account: Account }) {
  const task = useTask();
  const { lockAfter } = useWhole(browser);
  const lock = () => void task.run(async () => takeAccount(await call("account.lock")));
  return (
    <section className="section" aria-labelledby="account-lock">
      <h2 id="account-lock">{t("more.lock")}</h2>
      <p className="small quiet">{t(account.hasPassphrase ? "more.lock.more" : "account.lock.none")}</p>
      {account.remembered && <p className="small quiet">{t("account.remembered")}</p>}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      <div className="row"><Button icon="lock" busy={task.busy} disabled={!account.hasPassphrase} onClick={lock}>{t("more.lock.do")}</Button></div>
      {account.hasPassphrase && (
        <Select
          label={t("account.lockAfter")} hint={t("account.lockAfter.hint")} value={String(lockAfter)} onChange={(minutes) => setBrowser({ lockAfter: Number(minutes) })}
          options={WAITS.map((minutes) => ({ value: String(minutes), label: minutes === 0 ? t("account.lockAfter.never") : t("account.lockAfter.minutes", { count: minutes }) }))}
        />
      )}
    </section>
  );
}

export function AccountSection() {
  const account = useStore(self, (now) => now.account);
  if (account === null) return null;
  return (
    <>
      <Lock account={account} />
      {/* A form of its own for each sort: password managers look at a form once. */}
      <Passphrase key={account.hasPassphrase ? "change" : "set"} account={account} />
      <Backup />
    </>
  );
}
