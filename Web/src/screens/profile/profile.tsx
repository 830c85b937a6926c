// The user's own profile: what friends see, whether the user is here, and how others find this account.
import { useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { useStore } from "../../base/store";
import type { Params } from "../../contract/methods";
import type { Account } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Field } from "../../parts/field";
import { CopyButton, OwnLink } from "../../parts/ownLink";
import { Pane } from "../../parts/pane";
import { PhoneField } from "../../parts/phone";
import { PictureChoice } from "../../parts/pictureChoice";
import { followed } from "../../parts/rows";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { self, takeAccount } from "../../store/account";
import { isIdle } from "../../store/idle";
import { notify } from "../../store/notices";
import { hrefTo } from "../../store/router";
import { fullTime } from "../../text/format";
import { nameProblem } from "../../text/names";
import { visibleName } from "../../text/safe";
import { rich, t } from "../../text/t";
import { call } from "../../wire/rpc";
import { uploadPicture } from "../../wire/upload";

/** The longest values that `account.update` takes, in characters. */
const LONGEST_STATUS = 256;
const LONGEST_EMAIL = 254;

interface Words {
  displayName: string;
  statusText: string;
  email: string;
  phone: string;
}

const wordsOf = ({ displayName, statusText, email, phone }: Account): Words => ({ displayName, statusText, email: email ?? "", phone: phone ?? "" });

/** The values that differ from the account. */
function changesOf(words: Words, account: Account): Params<"account.update"> {
  const now = wordsOf(account);
  const changes: Params<"account.update"> = {};
  for (const name of ["displayName", "statusText", "email", "phone"] as const) {
    const value = words[name].trim();
    if (value !== now[name]) changes[name] = value;
  }
  return changes;
}

function Form({ account }: { account: Account }) {
  const [words, setWords] = useState(() => wordsOf(account));
  const [turn, setTurn] = useState(0);
  const [picture, setPicture] = useState<File | null>(null);
  const [isBare, setBare] = useState(false);
  const task = useTask();
  const before = useRef(words);
  const { displayName, statusText, email, phone } = wordsOf(account);
  useEffect(() => {
    // If another window has saved something, that is taken over here, except in fields that are being changed.
    const [old, next] = [before.current, { displayName, statusText, email, phone }];
    before.current = next;
    const taken = (now: Words, name: keyof Words) => (now[name] === old[name] ? next[name] : now[name]);
    setWords((now) => ({ displayName: taken(now, "displayName"), statusText: taken(now, "statusText"), email: taken(now, "email"), phone: taken(now, "phone") }));
    if (old.phone !== next.phone) setTurn((now) => now + 1);
  }, [displayName, statusText, email, phone]);
  const changes = changesOf(words, account);
  const isRemoved = isBare && picture === null && account.picture !== null;
  const isChanged = Object.keys(changes).length > 0 || picture !== null || isRemoved;
  const wrongName = changes.displayName === undefined ? null : nameProblem(words.displayName);
  const field = task.refused?.field;
  const problemOf = (name: string) => (field === name ? task.error ?? undefined : undefined);
  const change = (values: Partial<Words>) => {
    setWords((now) => ({ ...now, ...values }));
    task.clear();
  };
  const cancel = () => {
    setWords(wordsOf(account));
    setTurn(turn + 1);
    setPicture(null);
    setBare(false);
    task.clear();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isChanged || wrongName !== null) return;
    void task.run(async () => {
      const avatarPath = picture !== null ? await uploadPicture(picture) : isRemoved ? "" : null;
      const saved = await call("account.update", { ...changes, ...(avatarPath === null ? {} : { avatarPath }) });
      takeAccount(saved);
      setWords(wordsOf(saved));
      setTurn((now) => now + 1);
      setPicture(null);
      setBare(false);
      notify(t("profile.saved"));
    });
  };
  return (
    <form className="column" onSubmit={save} noValidate>
      <section className="profile-head" aria-label={t("profile.picture")}>
        <PictureChoice picture={picture} onChange={setPicture} onRemove={account.picture === null || isBare ? undefined : () => setBare(true)}>
          <Avatar id={account.id} name={words.displayName} size="xl" picture={isBare ? null : account.picture} />
        </PictureChoice>
      </section>
      <Field
        label={t("signUp.name")} hint={t("signUp.name.hint")} error={wrongName ?? problemOf("displayName")} value={words.displayName} required autoComplete="name"
        onChange={(event) => change({ displayName: event.target.value })}
      />
      <Field
        label={t("profile.status")} hint={t("profile.status.hint")} error={problemOf("statusText")} value={words.statusText} maxLength={LONGEST_STATUS} autoComplete="off"
        onChange={(event) => change({ statusText: event.target.value })}
      />
      <Field
        label={t("profile.email")} error={problemOf("email")} value={words.email} type="email" inputMode="email" dir="ltr" maxLength={LONGEST_EMAIL} autoComplete="email"
        onChange={(event) => change({ email: event.target.value })}
      />
      <PhoneField key={turn} initial={words.phone} error={problemOf("phone")} onChange={(next) => change({ phone: next })} />
      <p className="field-hint">
        {rich("profile.whoSees", {
          settings: <a href={hrefTo("settings/privacy/privacy.showEmail")} onClick={(event) => followed(event, "settings/privacy/privacy.showEmail")}>{t("settings.privacy")}</a>,
        })}
      </p>
      {task.error !== null && field === undefined && <Note look="danger" alert>{task.error}</Note>}
      {isChanged && (
        <div className="row">
          <Button look="primary" type="submit" busy={task.busy}>{t("common.save")}</Button>
          <Button onClick={cancel}>{t("common.cancel")}</Button>
        </div>
      )}
    </form>
  );
}

const states = ["online", "away"] as const;

function PresenceChoice({ account }: { account: Account }) {
  const task = useTask();
  const [wanted, setWanted] = useState<(typeof states)[number] | null>(null);
  // What the user has chosen: nobody chooses to be away by not being here.
  const chosen = useRef<(typeof states)[number]>("online");
  if (!isIdle()) chosen.current = account.presence === "away" ? "away" : "online";
  const now = wanted ?? chosen.current;
  useEffect(() => setWanted(null), [account.presence]);
  const choose = (state: (typeof states)[number]) => {
    setWanted(state);
    void task.run(() => call("presence.set", { state })).then((isDone) => !isDone && setWanted(null));
  };
  return (
    <section className="section">
      <fieldset className="choice">
        <legend><h2>{t("profile.presence")}</h2></legend>
        {states.map((state) => (
          <label key={state} className="check">
            <input type="radio" name="presence" checked={now === state} onChange={() => choose(state)} />
            <span className="grow">{t(`presence.${state}`)}<span className="field-hint block">{t(`profile.presence.${state}`)}</span></span>
          </label>
        ))}
      </fieldset>
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </section>
  );
}

export default function Profile() {
  const account = useStore(self, (now) => now.account);
  if (account === null) return null;
  return (
    <Pane title={t("nav.me")} backTo="settings">
      <div className="page column">
        <Form account={account} />
        <PresenceChoice account={account} />
        <section className="section" aria-labelledby="profile-link">
          <h2 id="profile-link">{t("link.title")}</h2>
          <OwnLink />
        </section>
        <section className="section" aria-labelledby="profile-account">
          <h2 id="profile-account">{t("settings.account")}</h2>
          <dl className="facts">
            <div className="fact"><dt>{t("details.id")}</dt><dd><code className="wrap" dir="ltr">{account.id}</code></dd></div>
            <div className="fact"><dt>{t("profile.device")}</dt><dd><bdi>{visibleName(account.device.name)}</bdi></dd></div>
            <div className="fact"><dt>{t("profile.since")}</dt><dd>{fullTime(account.createdAt)}</dd></div>
          </dl>
          <div className="row"><CopyButton text={account.id} label={t("details.id.copy")} /></div>
        </section>
      </div>
    </Pane>
  );
}
