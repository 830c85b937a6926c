// An incoming call. It covers whatever is shown, and leaves the focus where it is.
import { useEffect, useState } from "react";
import { activeCall, decline } from "../../call/activeCall";
import { peopleOf } from "../../call/people";
import type { Call } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Field } from "../../parts/field";
import { refused } from "../../store/notices";
import { sayRings } from "../../store/ringing";
import { go } from "../../store/router";
import { quotable } from "../../text/safe";
import { t } from "../../text/t";
import { ringOutside } from "./outside";
import { Ends, useHere, useNames, useParty } from "./parts";
import { maySound, ringTone } from "./ringTone";

function Word({ call, name, onClose }: { call: Call; name: string; onClose: () => void }) {
  const [text, setText] = useState(t("call.decline.text"));
  const send = () => {
    void decline(call.id, text.trim() === "" ? undefined : text);
    onClose();
  };
  return (
    <Dialog
      title={t("call.decline.word")} onClose={onClose} onSubmit={send}
      foot={<><Button onClick={onClose}>{t("common.cancel")}</Button><Button look="danger" type="submit">{t("call.decline")}</Button></>}
    >
      <Field label={t("call.decline.word.hint", { name })} value={text} onChange={(event) => setText(event.target.value)} />
    </Dialog>
  );
}

export function Ringing({ call }: { call: Call }) {
  const { id, name, said, picture, contact, group, conversation } = useParty(call);
  const names = useNames(group);
  const [sounds, setSounds] = useState(maySound);
  const [word, setWord] = useState(false);
  // A call in a muted chat is only shown.
  const muted = conversation?.muted === true;
  useEffect(() => (sounds && !muted ? ringTone(call.waiting) : undefined), [sounds, muted, call.waiting]);
  useEffect(() => {
    if (sounds) return;
    const touched = () => setSounds(true);
    const kinds = ["pointerup", "keydown"] as const;
    for (const kind of kinds) addEventListener(kind, touched, { once: true });
    return () => {
      for (const kind of kinds) removeEventListener(kind, touched);
    };
  }, [sounds]);
  const answer = (media: Call["media"]) => {
    if (conversation !== undefined) go(`chats/${conversation.id}`);
    activeCall.accept(call, media).catch(refused);
  };
  const here = useHere();
  const people = call.group ? peopleOf(call) : [];
  const [first] = people;
  const saying = (shown: (name: string) => string) => first !== undefined
    ? t(call.media === "video" ? "call.calls.group.video" : "call.calls.group", { name: shown(names.said(first)), group: shown(said) })
    : t(call.media === "video" ? "call.calls.video" : "call.calls", { name: shown(said) });
  const title = saying((name) => name);
  // Beside notifications of messages, whose titles are names: no name reads like this one.
  const outside = saying((name) => t("notify.quoted", { name: quotable(name) }));
  useEffect(() => sayRings(title), [title]);
  // A call in a muted chat is shown without a sound.
  useEffect(() => ringOutside(call.id, outside, muted), [call.id, outside, muted]);
  return (
    <section className="call-ring" aria-label={title}>
      <div className="call-ring-who">
        <Avatar id={id} name={name} picture={picture} group={call.group} size="l" />
        <div className="grow">
          <p className="call-name wrap" role="alert">{title}</p>
          {contact !== undefined && contact.trust !== "verified" && <p className="small">{t("call.verified.not")}</p>}
          {people.length > 1 && <p className="small">{t("call.in.it", { names: names.all(people) })}</p>}
          {here !== undefined && <Ends call={here} words="call.accept.ends" />}
          {!sounds && !muted && <p className="small">{t("call.click")}</p>}
        </div>
      </div>
      <div className="call-buttons">
        <Button look="primary" icon="call" aria-keyshortcuts="Alt+A" onClick={() => answer("audio")}>{t(here !== undefined ? "call.accept.ends.audio" : "call.accept.audio")}</Button>
        <Button look={call.media === "video" ? "primary" : "plain"} icon="video" onClick={() => answer("video")}>{t(here !== undefined ? "call.accept.ends.video" : "call.accept.video")}</Button>
        <Button look="danger" icon="close" aria-keyshortcuts="Alt+X" onClick={() => void decline(call.id)}>{t("call.decline")}</Button>
        <Button look="quiet" icon="chat" onClick={() => setWord(true)}>{t("call.decline.word")}</Button>
      </div>
      {word && <Word call={call} name={said} onClose={() => setWord(false)} />}
    </section>
  );
}
