// The outcome of invitations: those that were sent, or links that open them in another program; and those that failed.
import { useEffect, useState } from "react";
import type { Result } from "../../contract/methods";
import { Button } from "../../parts/button";
import { Check } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { Name, Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { inParts } from "../../store/addressBook";
import { reasonText } from "../../text/errors";
import { visibleLine, visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";
import type { Way } from "./lists";

type Composed = Result<"invite.compose">;
type Recipient = Composed["recipients"][number];
type Failed = Composed["failed"][number];

export interface Letter {
  entries: readonly string[];
  via: Way;
  text: string;
  subject: string;
}

/** The parameters of a letter, for both methods. */
export const letterParams = ({ via, text, subject }: Letter) =>
  ({ via, ...(text.trim() === "" ? {} : { text: text.trim() }), ...(via === "email" && subject.trim() !== "" ? { subject: subject.trim() } : {}) });

const Failures = ({ failed }: { failed: readonly Failed[] }) => failed.length === 0 ? null : (
  <section className="column" aria-labelledby="invite-failed">
    <h2 id="invite-failed">{t("invite.failed", { count: failed.length })}</h2>
    <ul className="problems">
      {failed.map((one) => (
        <li key={one.entry}>
          <Name>{one.name === "" ? t("people.noName") : one.name}</Name>
          <span className="small quiet wrap">{one.reason === "already_exists" ? t("invite.isOnKibo") : one.reason === "not_found" || one.reason === "invalid" ? t("invite.noAddress") : reasonText(one.reason, one.detail)}</span>
        </li>
      ))}
    </ul>
  </section>
);

const To = ({ recipient }: { recipient: Recipient }) => (
  <span className="grow wrap"><Name>{recipient.name === "" ? t("people.noName") : recipient.name}</Name> <bdi className="small quiet">{visibleLine(recipient.to)}</bdi></span>
);

/** Sent by the command of this host. */
export function Sent({ recipients, failed, onDone }: { recipients: readonly Recipient[]; failed: readonly Failed[]; onDone: () => void }) {
  return (
    <div className="page column">
      <section className="column" aria-labelledby="invite-sent" role="status">
        <h2 id="invite-sent">{t("invite.sent", { count: recipients.length })}</h2>
        <ul className="problems">{recipients.map((one) => <li key={one.entry}><span className="row"><Icon name="check" size={18} /><To recipient={one} /></span></li>)}</ul>
      </section>
      <Failures failed={failed} />
      <div className="row"><Button look="primary" onClick={onDone}>{t("invite.done")}</Button></div>
    </div>
  );
}

/** No command is set on this host: each invitation is opened in the program for it. */
export function Links({ letter, onDone }: { letter: Letter; onDone: () => void }) {
  const [together, setTogether] = useState(false);
  const [parts, setParts] = useState<readonly Composed[]>([]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const task = useTask();
  const { run } = task;
  useEffect(() => void run(async () => {
    setParts([]);
    setParts(await inParts(letter.entries, (entries) => call("invite.compose", { ...letterParams(letter), entries, together })));
  }), [letter, together, run]);
  const links = parts.flatMap((part) => part.links.map((link, index) => ({ link, recipients: together ? part.recipients : part.recipients.slice(index, index + 1) })));
  return (
    <div className="page column">
      <Note>
        <p>{t(letter.via === "email" ? "invite.noMailer" : "invite.noTexter")}</p>
      </Note>
      {letter.via === "email" && letter.entries.length > 1 && <Check checked={together} onChange={setTogether}>{t("invite.together")}</Check>}
      {task.error !== null && <Note look="warn" alert>{task.error}</Note>}
      {links.length > 0 && (
        <ul className="problems" aria-label={t("invite.links")}>
          {links.map(({ link, recipients }, index) => {
            const isOpened = opened.has(link);
            return (
              <li key={index}>
                <span className="row wrapping">
                  {isOpened && <><Icon name="check" size={18} /><span className="hidden-words">{t("invite.opened")}</span></>}
                  <span className="grow">{recipients.map((one) => <span key={one.entry} className="block"><To recipient={one} /></span>)}</span>
                  <a className={`button ${isOpened ? "button-plain" : "button-primary"}`} href={link} onClick={() => setOpened((now) => new Set(now).add(link))}>{t(letter.via === "email" ? "invite.openMail" : "invite.openText")}<span className="hidden-words">: {recipients.map(({ name }) => visibleName(name)).join(", ")}</span></a>
                </span>
              </li>
            );
          })}
        </ul>
      )}
      <Failures failed={parts.flatMap((part) => part.failed)} />
      <div className="row"><Button onClick={onDone}>{t("invite.done")}</Button></div>
    </div>
  );
}
