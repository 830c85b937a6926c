// Who is in a group, and what can be done with each member.
import { useMemo, useState } from "react";
import { useStore, useWhole } from "../../base/store";
import type { GroupRole } from "../../contract/codes";
import type { Group } from "../../contract/types";
import { AskDialog } from "../../parts/askDialog";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { MenuButton } from "../../parts/menu";
import type { MenuEntry } from "../../parts/menu";
import { Rows } from "../../parts/rows";
import { Name, Note, SearchField } from "../../parts/small";
import { useTask } from "../../parts/task";
import { ownId, self } from "../../store/account";
import { contacts } from "../../store/contacts";
import { changeGroup, presenceOf } from "../../store/groups";
import { peers } from "../../store/peers";
import { personName } from "../../store/people";
import { finder } from "../../text/plain";
import { isolatedName } from "../../text/safe";
import { currentLanguage, t } from "../../text/t";
import { AddMembers } from "./addMembers";

type Member = Group["members"][number];

/** If there are at least this many members, they can be searched. */
const MANY = 12;
const roles: readonly GroupRole[] = ["owner", "admin", "member"];

/** The roles that this account may give to a member, by the rules of docs/PROTOCOL-GROUPS.md. */
function rolesFor(group: Group, member: Member): GroupRole[] {
  if (group.state !== "member" || group.role === null || group.role === "member") return [];
  const owners = group.members.filter(({ role }) => role === "owner").length;
  if (member.role === "owner" && (group.role !== "owner" || owners === 1)) return [];
  return roles.filter((role) => role !== member.role && (role !== "owner" || group.role === "owner"));
}

function mayRemove(group: Group, member: Member): boolean {
  if (group.state !== "member" || member.id === ownId()) return false;
  return group.role === "owner" || (group.role === "admin" && member.role !== "owner");
}

type Asked = { kind: "remove" | "owner" | "friend"; member: Member };

export function Members({ group }: { group: Group }) {
  const known = useStore(contacts, (table) => table);
  const near = useWhole(peers);
  const task = useTask();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [query, setQuery] = useState("");
  const own = ownId();
  const ownPicture = useStore(self, (now) => now.account?.picture);
  const nameOf = (member: { id: string }) => personName(member.id, known, group);
  // Owners and admins first, each of them and all others by name.
  const inOrder = useMemo(() => {
    const collator = new Intl.Collator(currentLanguage(), { sensitivity: "base", numeric: true });
    const named = group.members.map((member) => ({ member, rank: roles.indexOf(member.role), name: personName(member.id, known, group) }));
    return named.sort((a, b) => a.rank - b.rank || collator.compare(a.name, b.name)).map(({ member }) => member);
  }, [group, known]);
  const fits = finder(query);
  const shown = inOrder.filter((member) => fits(nameOf(member)));
  const label = t("chats.members", { count: group.members.length });
  const setRole = (member: Member, role: GroupRole) => changeGroup(group, "group.setRole", { id: group.id, member: member.id, role });
  const mayAdd = group.state === "member" && group.role !== "member";

  const entries = (member: Member): MenuEntry[] => {
    const mine = rolesFor(group, member);
    const isStranger = member.id !== own && known.get(member.id) === undefined;
    return [
      ...(isStranger ? [{ label: t("ask.title"), icon: "add" as const, run: () => setAsked({ kind: "friend" as const, member }) }] : []),
      ...mine.map((role): MenuEntry => ({
        label: t(`group.make.${role}`), icon: role === "member" ? "person" : "shield",
        run: () => {
          if (role === "owner") setAsked({ kind: "owner", member });
          else void task.run(() => setRole(member, role));
        },
      })),
      ...(mayRemove(group, member) ? [...(mine.length > 0 || isStranger ? ["line" as const] : []), {
        label: t("group.remove"), icon: "delete" as const, danger: true, run: () => setAsked({ kind: "remove", member }),
      }] : []),
    ];
  };

  return (
    <section className="section" aria-labelledby="group-members">
      <div className="row">
        <h2 className="grow" id="group-members">{label}</h2>
        {mayAdd && <Button icon="add" onClick={() => setAdding(true)}>{t("group.add")}</Button>}
      </div>
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      {group.members.length > MANY && <div className="flush"><SearchField value={query} onChange={setQuery} label="group.search" /></div>}
      <div className="flush">
        <Rows
          label={label} items={shown} idOf={({ id }) => id} hrefOf={({ id }) => (id === own ? "me" : `friends/${id}`)}
          beside={(member) => {
            const list = entries(member);
            return list.length > 0 && <MenuButton label={t("group.actions", { name: isolatedName(nameOf(member)) })} entries={list} />;
          }}
        >
          {(member) => (
            <>
              <Avatar id={member.id} name={member.displayName} presence={presenceOf(member, known, near)} picture={member.id === own ? ownPicture : known.get(member.id)?.picture} />
              <span className="row-body">
                <span className="row-line">
                  <span className="row-title cut"><Name>{nameOf(member)}</Name></span>
                  {member.forked && (
                    <span className="trust trust-changed" title={t("group.isForked")}>
                      <Icon name="alert" size={16} /><span className="hidden-words">{t("group.isForked")}</span>
                    </span>
                  )}
                </span>
                <span className="row-sub cut">{t(`role.${member.role}`)}</span>
              </span>
            </>
          )}
        </Rows>
      </div>
      {shown.length === 0 && <p className="small quiet">{t("group.notFound")}</p>}
      {group.former.length > 0 && (
        <details className="more">
          <summary>{t("group.former", { count: group.former.length })}</summary>
          <ul className="column" aria-label={t("group.former", { count: group.former.length })}>
            {group.former.map((person) => (
              <li key={person.id} className="row"><Avatar id={person.id} name={nameOf(person)} size="s" picture={known.get(person.id)?.picture} /><span className="cut"><Name>{nameOf(person)}</Name></span></li>
            ))}
          </ul>
        </details>
      )}
      {isAdding && <AddMembers group={group} onClose={() => setAdding(false)} />}
      {asked?.kind === "friend" && <AskDialog whom={{ id: asked.member.id }} id={asked.member.id} name={asked.member.displayName} onClose={() => setAsked(null)} />}
      {asked?.kind === "remove" && (
        <Confirm
          title={t("group.remove.title", { name: isolatedName(nameOf(asked.member)) })} action={t("group.remove")} onClose={() => setAsked(null)}
          onConfirm={() => changeGroup(group, "group.remove", { id: group.id, member: asked.member.id })}
        >
          <p>{t("group.remove.more")}</p>
        </Confirm>
      )}
      {asked?.kind === "owner" && (
        <Confirm
          title={t("group.owner.title", { name: isolatedName(nameOf(asked.member)) })} action={t("group.make.owner")} danger={false} onClose={() => setAsked(null)}
          onConfirm={() => setRole(asked.member, "owner")}
        >
          <p>{t("group.owner.more")}</p>
        </Confirm>
      )}
    </section>
  );
}
