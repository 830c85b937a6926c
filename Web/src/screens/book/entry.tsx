import type { AddressBookEntry, Contact } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { followed } from "../../parts/rows";
import { Name } from "../../parts/small";
import { nameOf } from "../../store/contacts";
import { hrefTo } from "../../store/router";
import { shortTime } from "../../text/format";
import { isolatedName, visibleLine, visibleName } from "../../text/safe";
import { t } from "../../text/t";

type Phone = AddressBookEntry["phones"][number];

/** A number in its parts: where it is from, the number there, an extension. */
function PhoneLine({ phone }: { phone: Phone }) {
  const label = visibleLine(phone.label);
  return (
    <li>
      <span dir="ltr" className="numbers">
        {phone.prefix !== null && phone.national !== null
          ? <><span className="quiet">+{phone.prefix.replace("+", "")}</span> {phone.national}</>
          : visibleLine(phone.number)}
        {phone.extension !== "" && <span className="quiet"> {t("book.extension", { extension: visibleLine(phone.extension) })}</span>}
      </span>
      {label !== "" && <bdi className="quiet"> {label}</bdi>}
      {phone.e164 === null && <span className="quiet"> · {t("book.noCountry")}</span>}
    </li>
  );
}

/** An entry with its numbers and addresses, whether it was seen on Kibo, a friend of the same name if it was not, and a box to choose it. */
export function Entry({ entry, namesake, isChosen, onChoose }: {
  entry: AddressBookEntry; namesake: Contact | undefined; isChosen: boolean; onChoose: (isChosen: boolean) => void;
}) {
  const name = entry.name === "" ? t("people.noName") : entry.name;
  const path = `friends/${entry.contact ?? ""}`;
  return (
    <li className="entry">
      <label className="entry-choice">
        <input type="checkbox" checked={isChosen} aria-label={t("book.choose", { name: isolatedName(name) })} onChange={(event) => onChoose(event.target.checked)} />
      </label>
      <Avatar id={entry.contact ?? entry.id} name={entry.name} />
      <div className="entry-body">
        <p className="row wrapping">
          <span className="row-title"><Name>{name}</Name></span>
          {entry.onKibo
            ? entry.contact === null ? <span className="mark mark-on">{t("book.onKibo")}</span> : <a className="mark mark-on" href={hrefTo(path)} onClick={(event) => followed(event, path)}>{t("book.onKibo")}<span className="hidden-words">: {visibleName(name)}</span></a>
            : <span className="mark">{t("book.notOnKibo")}</span>}
        </p>
        <ul className="entry-facts">
          {entry.phones.map((phone, index) => <PhoneLine key={index} phone={phone} />)}
          {entry.emails.map((email) => <li key={email} className="wrap"><bdi>{visibleLine(email)}</bdi></li>)}
          {namesake !== undefined && (
            <li><a href={hrefTo(`friends/${namesake.id}`)} onClick={(event) => followed(event, `friends/${namesake.id}`)}>{t("book.sameName", { name: isolatedName(nameOf(namesake)) })}</a></li>
          )}
          {entry.invitedAt !== null && <li className="quiet">{t("book.invited", { time: shortTime(entry.invitedAt) })}</li>}
        </ul>
      </div>
    </li>
  );
}
