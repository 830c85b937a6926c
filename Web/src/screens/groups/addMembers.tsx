// Friends with boxes, who are put into a group.
import { useMemo, useState } from "react";
import { useWhole } from "../../base/store";
import type { Group } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Check } from "../../parts/field";
import { Empty, Name, Note, SearchField } from "../../parts/small";
import { useTask } from "../../parts/task";
import { contacts, nameOf, sorted } from "../../store/contacts";
import { changeGroup } from "../../store/groups";
import { finder } from "../../text/plain";
import { t } from "../../text/t";

/** Friends that are shown at once; the others are found by searching. */
const SHOWN = 200;

export function AddMembers({ group, onClose }: { group: Group; onClose: () => void }) {
  const table = useWhole(contacts);
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const task = useTask();
  const friends = useMemo(() => {
    const members = new Set(group.members.map(({ id }) => id));
    return sorted(table, ({ relation, id }) => relation === "friend" && !members.has(id));
  }, [table, group.members]);
  const fits = finder(query);
  const shown = friends.filter((friend) => fits(`${friend.alias} ${friend.displayName}`)).slice(0, SHOWN);
  const add = async () => {
    if (chosen.length > 0 && await task.run(() => changeGroup(group, "group.add", { id: group.id, members: [...chosen] }))) onClose();
  };
  return (
    <Dialog
      title={t("group.add.title")} onClose={onClose} onSubmit={() => void add()}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look="primary" type="submit" busy={task.busy} disabled={chosen.length === 0}>{t("group.add.do", { count: chosen.length })}</Button>
      </>}
    >
      {friends.length === 0 ? <Empty icon="friends" title={t("group.add.none")} /> : (
        <>
          <div className="flush"><SearchField value={query} onChange={setQuery} label="newChat.search" /></div>
          {group.history > 0 && <p className="small quiet">{t("group.add.history", { count: group.history })}</p>}
          <ul className="column" aria-label={t("nav.friends")}>
            {shown.map((friend) => (
              <li key={friend.id} className="check-person">
                <Check checked={chosen.includes(friend.id)} onChange={(on) => setChosen((now) => (on ? [...now, friend.id] : now.filter((id) => id !== friend.id)))}>
                  <span className="row"><Avatar id={friend.id} name={nameOf(friend)} size="s" presence={friend.presence} picture={friend.picture} /><span className="cut"><Name>{nameOf(friend)}</Name></span></span>
                </Check>
              </li>
            ))}
          </ul>
          {shown.length === 0 && <p className="small quiet">{t("friends.notFound")}</p>}
        </>
      )}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </Dialog>
  );
}
