import { useStore } from "../../base/store";
import { later } from "../../parts/later";
import { Pane } from "../../parts/pane";
import { Empty, Spinner } from "../../parts/small";
import { conversations } from "../../store/conversations";
import { hrefTo } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { laterWords } from "../../text/language";
import { t } from "../../text/t";

const Person = later(() => import("../sides/people").then((side) => side.Details));
const Group = later(() => Promise.all([import("../sides/own"), laterWords()]).then(([side]) => side.GroupDetails));

/** What notes to oneself are. */
function Notes({ beside }: { beside: string }) {
  return (
    <Pane title={t("chat.details")} backTo={`chats/${beside}`}>
      <Empty icon="note" title={t("notes.to")}>
        <p>{t("notes.more")}</p>
        <a href={hrefTo(`chats/${beside}/media`)}>{t("media.title")}</a>
      </Empty>
    </Pane>
  );
}

/** What is beside a chat: the friend, or the group. */
export default function ChatDetails({ at }: PaneProps) {
  const conversation = useStore(conversations, (value) => value.table.get(at["id"]));
  if (conversation === undefined) return <Spinner />;
  const { id: beside, kind, contact, group } = conversation;
  if (kind === "notes") return <Notes beside={beside} />;
  return contact !== undefined ? <Person at={{ id: contact, beside }} /> : <Group at={{ id: group ?? "", beside }} />;
}
