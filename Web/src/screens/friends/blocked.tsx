// The accounts that the user has blocked.
import { useMemo } from "react";
import { useWhole } from "../../base/store";
import type { Contact } from "../../contract/types";
import { Button } from "../../parts/button";
import { Pane } from "../../parts/pane";
import { Person, calledOr, shortId } from "../../parts/person";
import { Empty, Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { contacts, nameOf, sorted, takeContacts } from "../../store/contacts";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { call } from "../../wire/rpc";

function Row({ contact }: { contact: Contact }) {
  const task = useTask();
  const unblock = () => void task.run(async () => {
    const asked = seenNow();
    takeContacts([await call("contact.unblock", { id: contact.id })], asked);
  });
  return (
    <li className="column">
      <div className="person">
        <div className="person-link"><Person id={contact.id} name={nameOf(contact)} picture={contact.picture} line={shortId(contact.id)} /></div>
        <Button busy={task.busy} aria-label={t("blocked.unblock.name", { name: isolatedName(calledOr(nameOf(contact))) })} onClick={unblock}>{t("blocked.unblock")}</Button>
      </div>
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </li>
  );
}

export default function Blocked() {
  const table = useWhole(contacts);
  const blocked = useMemo(() => sorted(table, ({ relation }) => relation === "blocked"), [table]);
  return (
    <Pane title={t("friends.blocked")} backTo="friends">
      <div className="page column">
        <p className="small quiet">{t("blocked.more")}</p>
        {blocked.length === 0
          ? <Empty icon="block" title={t("blocked.none")} />
          : <ul className="people" aria-label={t("friends.blocked")}>{blocked.map((contact) => <Row key={contact.id} contact={contact} />)}</ul>}
      </div>
    </Pane>
  );
}
