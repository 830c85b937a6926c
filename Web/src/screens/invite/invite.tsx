// Invites several people of the address book in one go, by e-mail or short message, with a text that can be changed.
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import type { FormEvent } from "react";
import { useWhole } from "../../base/store";
import type { Result } from "../../contract/methods";
import { Button } from "../../parts/button";
import { Field, TextField } from "../../parts/field";
import { Pane } from "../../parts/pane";
import { Empty, Note, SearchField, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { bookChanged, inParts, invitees, useBook } from "../../store/addressBook";
import { contacts, friendsByName } from "../../store/contacts";
import { go } from "../../store/router";
import { visible } from "../../text/safe";
import { t } from "../../text/t";
import { Refused } from "../../wire/refusal";
import { call } from "../../wire/rpc";
import { Choice, Without, addressOf, listsOf } from "./lists";
import type { Way } from "./lists";
import { Links, Sent, letterParams } from "./outcome";
import type { Letter } from "./outcome";
import { places, useInviteText } from "./text";

const ways: readonly Way[] = ["email", "sms"];
/** Entries in a page. */
const PAGE = 500;
/** The longest texts that the contract accepts, in characters. */
const TEXT = 2000;
const SUBJECT = 128;

type Stage = { at: "choose" } | { at: "sent"; parts: readonly Result<"invite.send">[] } | { at: "links"; letter: Letter };

/** The text as one of those who are chosen gets it. */
function Preview({ letter }: { letter: Letter }) {
  const [text, setText] = useState<string | null>(null);
  const task = useTask();
  const show = () => void task.run(async () => {
    const made = await call("invite.compose", { ...letterParams(letter), entries: letter.entries.slice(0, 1) });
    setText(made.recipients[0]?.text ?? "");
  });
  useEffect(() => setText(null), [letter]);
  return (
    <>
      {text === null
        ? <div className="row"><Button icon="eye" busy={task.busy} disabled={letter.entries.length === 0} onClick={show}>{t("invite.preview")}</Button></div>
        : <blockquote className="noted wrap" dir="auto" aria-label={t("invite.preview")}>{visible(text)}</blockquote>}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </>
  );
}

export default function Invite() {
  const [via, setVia] = useState<Way>("email");
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => invitees.get());
  const usual = useInviteText();
  const [text, setText] = useState<string | null>(null);
  const [subject, setSubject] = useState(() => t("invite.subject.usual", places));
  const [stage, setStage] = useState<Stage>({ at: "choose" });
  const task = useTask();
  const book = useBook(useDeferredValue(typed), false, PAGE);
  const lists = useMemo(() => listsOf(book.entries ?? [], via), [book.entries, via]);
  const people = useWhole(contacts);
  const friends = useMemo(() => friendsByName(people), [people]);
  useEffect(() => () => invitees.set(new Set()), []);

  // The chosen people who can be reached this way.
  const letter = useMemo<Letter>(() => ({
    entries: (book.entries ?? []).filter((entry) => chosen.has(entry.id) && addressOf(entry, via) !== null).map(({ id }) => id), via, text: text ?? usual, subject,
  }), [book.entries, chosen, via, text, usual, subject]);
  const choose = (ids: readonly string[], is: boolean) => setChosen((now) => {
    const next = new Set(now);
    for (const id of ids) {
      if (is) next.add(id);
      else next.delete(id);
    }
    return next;
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (letter.entries.length === 0) return;
    void task.run(async () => {
      try {
        setStage({ at: "sent", parts: await inParts(letter.entries, (entries) => call("invite.send", { ...letterParams(letter), entries })) });
        bookChanged();
      } catch (error) {
        // No command is set on this host, and a page can't set one.
        if (!(error instanceof Refused) || error.hint !== "set_invite_command") throw error;
        setStage({ at: "links", letter });
      }
    });
  };
  const again = () => {
    setChosen(new Set());
    setStage({ at: "choose" });
  };
  if (stage.at === "sent") {
    return <Pane title={t("invite.title")} backTo="friends/book" backAlways><Sent recipients={stage.parts.flatMap(({ recipients }) => recipients)} failed={stage.parts.flatMap(({ failed }) => failed)} onDone={again} /></Pane>;
  }
  if (stage.at === "links") return <Pane title={t("invite.title")} backTo="friends/book" backAlways><Links letter={stage.letter} onDone={again} /></Pane>;
  const isEmpty = book.entries !== null && book.entries.length === 0 && typed === "";
  return (
    <Pane title={t("invite.title")} backTo="friends/book" backAlways>
      <form className="page column" onSubmit={send} noValidate>
        <div className="tabs level-start" role="group" aria-label={t("invite.way")}>
          {ways.map((one) => <button key={one} type="button" className="tab" aria-pressed={one === via} onClick={() => setVia(one)}>{t(`invite.${one}`)}</button>)}
        </div>
        {book.problem !== null && <Note look="danger" alert>{book.problem}</Note>}
        {book.entries === null && book.problem === null && <Spinner />}
        {isEmpty ? (
          <Empty icon="mail" title={t("invite.none")}>
            <p>{t("invite.none.more")}</p>
            <Button look="primary" icon="group" onClick={() => go("friends/book")}>{t("book.title")}</Button>
          </Empty>
        ) : book.entries !== null && (
          <>
            <div className="level-start"><SearchField value={typed} onChange={setTyped} label="book.search" /></div>
            {book.entries.length === 0 && <p className="small quiet">{t("book.notFound")}</p>}
            {lists.fresh.length > 0 && <Choice isOpen title={t("invite.fresh", { count: lists.fresh.length })} entries={lists.fresh} via={via} friends={friends} chosen={chosen} onChoose={choose} />}
            {lists.invited.length > 0 && <Choice isOpen={lists.fresh.length === 0} title={t("invite.again", { count: lists.invited.length })} entries={lists.invited} via={via} friends={friends} chosen={chosen} onChoose={choose} />}
            {lists.without.length > 0 && <Without title={t(via === "email" ? "invite.withoutMail" : "invite.withoutNumber", { count: lists.without.length })} entries={lists.without} />}
            {book.hasMore && <div className="row center"><Button onClick={book.more}>{t("common.showMore")}</Button></div>}
            {via === "email" && <Field label={t("invite.subject")} value={subject} maxLength={SUBJECT} onChange={(event) => setSubject(event.target.value)} />}
            <TextField label={t("invite.text")} hint={t("invite.text.hint", places)} value={text ?? usual} maxLength={TEXT} rows={8} onChange={(event) => setText(event.target.value)} />
            <Preview letter={letter} />
            {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
            <div className="row">
              <Button look="primary" icon="send" type="submit" busy={task.busy} disabled={letter.entries.length === 0}>{letter.entries.length === 0 ? t("invite.send") : t("invite.send.count", { count: letter.entries.length })}</Button>
            </div>
          </>
        )}
      </form>
    </Pane>
  );
}
