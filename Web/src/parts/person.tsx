// A person in a list: picture, name, and what to know about them just now.
import type { ReactNode } from "react";
import type { Contact } from "../contract/types";
import { nameOf } from "../store/contacts";
import { relativeTime } from "../text/format";
import { visibleLine } from "../text/safe";
import { t } from "../text/t";
import { Avatar } from "./avatar";
import { Icon } from "./icon";
import { Name } from "./small";

/** The beginning of an account's id, enough to tell accounts of one name apart. */
export const shortId = (id: string): string => id.slice(0, 13);

/** The name of an account within a sentence, even if it has no name yet. */
export const calledOr = (name: string): string => (name === "" ? t("people.noName") : name);

/** Online, away, or when the contact was last here. */
export function presenceText(contact: Contact): string {
  if (contact.presence !== "offline" || contact.lastSeen === null) return t(`presence.${contact.presence}`);
  return t("people.lastSeen", { time: relativeTime(contact.lastSeen) });
}

/** The line below the name: something urgent, the status, or presence. */
export function contactLine(contact: Contact): string {
  if (contact.relation === "requested") return t("people.requested");
  if (contact.relation === "incoming") return t("people.asks");
  if (contact.relation === "blocked") return t("people.blocked");
  if (contact.trust === "changed") return t("people.keyChanged");
  return contact.statusText !== "" ? visibleLine(contact.statusText) : presenceText(contact);
}

interface PersonProps {
  id: string;
  name: string;
  picture?: string | null | undefined;
  presence?: Contact["presence"] | undefined;
  line: ReactNode;
  /** Beside the name: a mark of trust, for example. */
  mark?: ReactNode;
  pale?: boolean;
  /** Whether the line takes as many lines as it needs: it says what stands nowhere else. */
  whole?: boolean;
}

/** Picture, name and a line below it, within a row. */
export function Person({ id, name, picture, presence, line, mark, pale = false, whole = false }: PersonProps) {
  return (
    <>
      <Avatar id={id} name={name} picture={picture} presence={presence} isSaid={presence !== undefined && line === t(`presence.${presence}`)} />
      <span className={`row-body${pale ? " pale" : ""}`}>
        <span className="row-line"><span className="row-title cut"><Name>{calledOr(name)}</Name></span>{mark}</span>
        <span className="row-line"><span className={`row-sub ${whole ? "wrap" : "cut"}`}><bdi>{line}</bdi></span></span>
      </span>
    </>
  );
}

/** A contact within a row. */
export function ContactPerson({ contact }: { contact: Contact }) {
  const isFriend = contact.relation === "friend";
  return (
    <Person
      id={contact.id} name={nameOf(contact)} picture={contact.picture} presence={isFriend ? contact.presence : undefined} line={contactLine(contact)}
      pale={contact.relation === "requested"} mark={isFriend && contact.trust !== "unverified" && <TrustMark trust={contact.trust} />}
    />
  );
}

/** A shield beside the name of a verified contact, a warning beside one whose key has changed. */
export function TrustMark({ trust }: { trust: Contact["trust"] }) {
  if (trust === "unverified") return null;
  return (
    <span className={`trust trust-${trust}`} title={t(`trust.${trust}`)}>
      <Icon name={trust === "verified" ? "shield" : "alert"} size={16} />
      <span className="hidden-words">{t(`trust.${trust}`)}</span>
    </span>
  );
}
