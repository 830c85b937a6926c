// The parts that the views of calls share: the other party, the time that a call has lasted, a moving picture.
import { useEffect, useRef, useState } from "react";
import { useStore, useWhole } from "../../base/store";
import type { Participant } from "../../call/people";
import { seat } from "../../call/seat";
import type { Call, Contact, Conversation, Group } from "../../contract/types";
import { calls } from "../../store/calls";
import { contacts, nameOf } from "../../store/contacts";
import { conversations } from "../../store/conversations";
import { groups } from "../../store/groups";
import { personName } from "../../store/people";
import { duration, listed } from "../../text/format";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";

/** The other party of a call: a friend, or a group. */
export interface Party {
  id: string;
  name: string;
  /** The name as part of a sentence. */
  said: string;
  picture: string | null | undefined;
  /** The friend, in a call between two. */
  contact: Contact | undefined;
  /** The group, in a call of a group. */
  group: Group | undefined;
  conversation: Conversation | undefined;
}

export function useParty(call: Call): Party {
  const conversation = useStore(conversations, ({ table }) => table.get(call.conversation ?? undefined));
  const group = useStore(groups, (table) => table.get(conversation?.group));
  const id = conversation?.contact ?? call.participants[0]?.account ?? "";
  const contact = useStore(contacts, (table) => table.get(id));
  if (call.group) {
    const name = group?.name ?? conversation?.title ?? "";
    return { id: group?.id ?? call.id, name, said: isolatedName(name), picture: group?.picture, contact: undefined, group, conversation };
  }
  const name = contact !== undefined ? nameOf(contact) : conversation?.title ?? id.slice(0, 13);
  return { id, name, said: isolatedName(name), picture: contact?.picture, contact, group: undefined, conversation };
}

/** Returns the names of participants: `said` of one within a sentence, `all` of several in a row. */
export function useNames(group: Group | undefined): { said: (one: Participant) => string; all: (some: readonly Participant[]) => string } {
  const known = useWhole(contacts);
  const said = ({ account }: Participant) => isolatedName(personName(account, known, group));
  return { said, all: (some) => listed(some.map(said)) };
}

/** Returns the call that this window carries, if there is one. */
export function useHere(): Call | undefined {
  const mine = useStore(seat, ({ id }) => id);
  return useStore(calls, (all) => all.find((one) => one.id === mine && one.state !== "ended"));
}

/** Says which call of this window an answer or joining another call ends. */
export function Ends({ call, words }: { call: Call; words: "call.accept.ends" | "call.join.ends" }) {
  const { said } = useParty(call);
  return <p className="small">{t(words, { name: said })}</p>;
}

/** Shows the time since the windows have had a connection. */
export function Length({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span className="numbers">{duration(Math.floor((now - since) / 1000))}</span>;
}

/** Shows the picture of a camera or a screen. Its sound is played apart from it. */
export function Picture({ stream, label, look }: { stream: MediaStream; label: string; look: string }) {
  const film = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (film.current !== null) film.current.srcObject = stream;
  }, [stream]);
  return <video ref={film} className={look} aria-label={label} autoPlay muted playsInline />;
}
