// Makes sure that a friend's key is theirs: both sides see the same number if nobody sits between them.
import { useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { useStore } from "../../base/store";
import type { Result } from "../../contract/methods";
import type { Contact } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { CodeReader } from "../../parts/codeReader";
import { TextField } from "../../parts/field";
import { CopyButton } from "../../parts/ownLink";
import { Pane } from "../../parts/pane";
import { TrustMark, calledOr, shortId } from "../../parts/person";
import { Code } from "../../parts/qr";
import { Empty, Name, Note, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { contacts, nameOf, takeContacts } from "../../store/contacts";
import type { PaneProps } from "../../store/router";
import { kiboLink } from "../../text/kiboLink";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { call } from "../../wire/rpc";
import { NewKey } from "../details/newKey";

/** Digits in a group, as both sides read them aloud. */
const GROUP = 5;
/** The longest text that a user pastes: the number with its spaces, or a link. */
const LONGEST = 512;

const inGroups = (number: string): string[] => number.match(new RegExp(`\\d{1,${GROUP}}`, "g")) ?? [];

async function verify(id: string, number?: string): Promise<void> {
  const asked = seenNow();
  takeContacts([await call("contact.verify", { id, ...(number === undefined ? {} : { number }) })], asked);
}

/** The number in twelve groups, and what the user says about it. */
function Digits({ contact, number, name }: { contact: Contact; number: string; name: string }) {
  const [differs, setDiffers] = useState(false);
  const task = useTask();
  const groups = inGroups(number);
  useEffect(() => setDiffers(false), [contact.trust]);
  return (
    <section className="section" aria-labelledby="verify-number">
      <h2 id="verify-number">{t("verify.number")}</h2>
      <p className="small quiet">{t("verify.number.more", { name })}</p>
      <ol className="digits" dir="ltr" aria-label={t("verify.number")}>{groups.map((group, index) => <li key={index}>{group}</li>)}</ol>
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      {differs && <Note look="danger" alert><p>{t("verify.differs", { name })}</p></Note>}
      <div className="row wrapping">
        {contact.trust !== "verified" && (
          <Button
            look="primary" icon="shield" busy={task.busy}
            onClick={() => {
              setDiffers(false);
              void task.run(() => verify(contact.id));
            }}
          >
            {t("verify.same")}
          </Button>
        )}
        <Button onClick={() => setDiffers(true)}>{t("verify.other")}</Button>
        <CopyButton text={groups.join(" ")} label={t("verify.copy")} />
      </div>
    </section>
  );
}

/** Whose code was read, before it is compared. */
function Whose({ id, link, name }: { id: string; link: string; name: string }) {
  const meant = kiboLink(link)?.id ?? "";
  const other = useStore(contacts, (table) => table.get(meant));
  if (meant === id) return <Note>{t("verify.code.theirs", { name })}</Note>;
  return <Note look="warn">{t("verify.code.other", { name, other: other === undefined ? shortId(meant) : isolatedName(calledOr(nameOf(other))) })}</Note>;
}

/** Compares what came from the other side in another way: a number, or the link in their code. */
function Pasted({ id, name }: { id: string; name: string }) {
  const [typed, setTyped] = useState("");
  const [read, setRead] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isSame, setSame] = useState(false);
  const task = useTask();
  const problem = task.refused?.hint === "compare_again" ? t("verify.differs", { name }) : task.error ?? undefined;
  const compare = (event: FormEvent) => {
    event.preventDefault();
    setSame(false);
    void task.run(() => verify(id, typed.trim())).then(setSame);
  };
  const change = (text: string) => {
    setTyped(text);
    setRead(null);
    task.clear();
    setSame(false);
  };
  // The button is there for the focus once the code stands in the field.
  useEffect(() => {
    if (read !== null) button.current?.focus();
  }, [read]);
  return (
    <section className="section" aria-labelledby="verify-theirs">
      <h2 id="verify-theirs">{t("verify.theirs")}</h2>
      <CodeReader
        isWanted={(text) => kiboLink(text) !== null && text.length <= LONGEST}
        onText={(text) => {
          change(text);
          setRead(text);
        }}
      />
      <form className="column" onSubmit={compare} noValidate>
        <TextField
          label={t("verify.pasted", { name })} hint={t("verify.pasted.hint")} error={problem} value={typed} maxLength={LONGEST} rows={3} dir="ltr"
          spellCheck={false} autoComplete="off"
          onChange={(event) => change(event.target.value)}
        />
        <div aria-live="polite">{read !== null && <Whose id={id} link={read} name={name} />}</div>
        <div className="row"><Button ref={button} type="submit" busy={task.busy} disabled={typed.trim() === ""}>{t("verify.compare")}</Button></div>
        <div aria-live="polite">{isSame && <Note>{t("verify.isSame")}</Note>}</div>
      </form>
    </section>
  );
}

function Person({ contact }: { contact: Contact }) {
  const [safety, setSafety] = useState<Result<"contact.safetyNumber"> | null>(null);
  const task = useTask();
  const { run } = task;
  const { id, trust } = contact;
  useEffect(() => void run(async () => setSafety(await call("contact.safetyNumber", { id }))), [id, run]);
  const shown = calledOr(nameOf(contact));
  const name = isolatedName(shown);
  return (
    <div className="page column">
      <div className="profile-head">
        <Avatar id={id} name={nameOf(contact)} size="l" picture={contact.picture} />
        <p className="profile-name"><Name>{shown}</Name><TrustMark trust={trust} /></p>
        <p className="small quiet">{t(`trust.${trust}`)}</p>
      </div>
      {trust === "changed" ? <NewKey contact={contact} /> : (
        <>
          <p>{t("verify.lead", { name })}</p>
          {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
          {safety === null ? task.error === null && <Spinner /> : (
            <>
              <Digits contact={contact} number={safety.number} name={name} />
              <section className="section" aria-labelledby="verify-code">
                <h2 id="verify-code">{t("verify.code")}</h2>
                <div className="own-link">
                  <Code text={safety.qr} label={t("verify.code.label")} />
                  <p className="grow small quiet">{t("verify.code.more", { name })}</p>
                </div>
              </section>
              <Pasted id={id} name={name} />
            </>
          )}
        </>
      )}
    </div>
  );
}

export default function Verify({ at }: PaneProps) {
  const id = at["id"] ?? "";
  const contact = useStore(contacts, (table) => table.get(id));
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    const asked = seenNow();
    call("contact.get", { id }).then((found) => takeContacts([found], asked), () => undefined).finally(() => setAsked(true));
  }, [id]);
  return (
    <Pane title={t("verify.title")} backTo={`friends/${id}`} backAlways>
      {contact !== undefined ? <Person key={id} contact={contact} /> : isAsked ? <Empty icon="person" title={t("details.unknown")} /> : <Spinner />}
    </Pane>
  );
}
