// Edits a group's name, description and avatar.
import { useState } from "react";
import type { Params } from "../../contract/methods";
import type { Group } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Field, TextField } from "../../parts/field";
import { PictureChoice } from "../../parts/pictureChoice";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { changeGroup } from "../../store/groups";
import { t } from "../../text/t";
import { uploadPicture } from "../../wire/upload";
import { LONGEST_DESCRIPTION, LONGEST_NAME } from "./values";

export function EditGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const [name, setName] = useState(group.name);
  const [description, setDescription] = useState(group.description);
  const [picture, setPicture] = useState<File | null>(null);
  const [isBare, setBare] = useState(false);
  const task = useTask();
  const isRemoved = isBare && picture === null && group.picture !== null;
  const changes: Omit<Params<"group.update">, "id" | "avatarPath"> = {
    ...(name.trim() === group.name ? {} : { name: name.trim() }),
    ...(description.trim() === group.description ? {} : { description: description.trim() }),
  };
  const isChanged = Object.keys(changes).length > 0 || picture !== null || isRemoved;
  const save = async () => {
    if (name.trim() === "" || !isChanged) return;
    const isDone = await task.run(async () => {
      const avatarPath = picture !== null ? await uploadPicture(picture) : isRemoved ? "" : null;
      await changeGroup(group, "group.update", { id: group.id, ...changes, ...(avatarPath === null ? {} : { avatarPath }) });
    });
    if (isDone) onClose();
  };
  const remove = group.picture === null || isBare ? undefined : () => setBare(true);
  return (
    <Dialog
      title={t("group.edit")} onClose={onClose} onSubmit={() => void save()}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look="primary" type="submit" busy={task.busy} disabled={name.trim() === "" || !isChanged}>{t("common.save")}</Button>
      </>}
    >
      <PictureChoice picture={picture} onChange={setPicture} onRemove={remove}>
        <Avatar id={group.id} name={name} size="xl" group picture={isBare ? null : group.picture} />
      </PictureChoice>
      <Field label={t("newChat.name")} value={name} maxLength={LONGEST_NAME} required autoComplete="off" onChange={(event) => setName(event.target.value)} />
      <TextField
        label={t("newChat.description")} value={description} maxLength={LONGEST_DESCRIPTION} rows={3}
        onChange={(event) => setDescription(event.target.value)}
      />
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </Dialog>
  );
}
