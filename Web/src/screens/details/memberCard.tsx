// Who somebody in a group is, and what can be done with them: opened by a click on their name or picture.
import { useState } from "react";
import { useStore } from "../../base/store";
import type { Group, MessageCall } from "../../contract/types";
import { AskDialog } from "../../parts/askDialog";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { TrustMark, presenceText } from "../../parts/person";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { contacts } from "../../store/contacts";
import { chatWith, openChat } from "../../store/openChat";
import { personName } from "../../store/people";
import { go } from "../../store/router";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { ring } from "../ring";
import { Alias } from "./facts";

export function MemberCard({ id, group, onClose }: { id: string; group: Group | undefined; onClose: () => void }) {
  const known = useStore(contacts, (table) => table);
  const contact = known.get(id);
  const [isAsking, setAsking] = useState(false);
  const task = useTask();
  const name = personName(id, known, group);
  const role = group?.members.find((member) => member.id === id)?.role;
  const isFriend = contact?.relation === "friend";
  const leave = (act: () => Promise<unknown>) => () => void task.run(act).then((done) => {
    if (done) onClose();
  });
  const callBy = (media: MessageCall["media"]) => leave(async () => ring(await chatWith(id), media));
  if (isAsking) return <AskDialog whom={{ id }} id={id} name={name} onClose={onClose} />;
  return (
    <Dialog title={isolatedName(name)} onClose={onClose}>
      <div className="profile-head">
        <Avatar id={id} name={name} size="xl" picture={contact?.picture} presence={isFriend ? contact.presence : undefined} />
        <p className="row center quiet">{contact !== undefined && <TrustMark trust={contact.trust} />}{[role === undefined ? "" : t(`role.${role}`), isFriend ? presenceText(contact) : ""].filter((text) => text !== "").join(" · ")}</p>
        <div className="row wrapping center">
          {isFriend && <Button look="primary" icon="chat" busy={task.busy} onClick={leave(() => openChat(id))}>{t("details.write")}</Button>}
          {isFriend && contact.trust !== "changed" && <Button icon="call" onClick={callBy("audio")}>{t("details.call")}</Button>}
          {isFriend && contact.trust !== "changed" && <Button icon="video" onClick={callBy("video")}>{t("details.call.video")}</Button>}
          {(contact === undefined || contact.relation === "none") && <Button look="primary" icon="add" onClick={() => setAsking(true)}>{t("nearby.add")}</Button>}
          <Button
            icon="info"
            onClick={() => {
              onClose();
              go(`friends/${id}`);
            }}
          >
            {t("details.title")}
          </Button>
        </div>
        {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      </div>
      {isFriend && (
        <details className="more">
          <summary>{t("details.rename")}</summary>
          <Alias contact={contact} />
        </details>
      )}
    </Dialog>
  );
}
