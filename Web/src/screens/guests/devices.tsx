// Phones and other devices with LocalSend that are nearby. Their names are only what they call themselves.
import { useEffect, useRef, useState } from "react";
import { useWhole } from "../../base/store";
import type { GuestDevice } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Confirm, Dialog } from "../../parts/dialog";
import { useDrop } from "../../parts/drop";
import { TextField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { deviceIcon } from "../../parts/kindIcon";
import { Name, Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { giveFiles, giveText, givingText } from "../../store/giving";
import { guests, lookForGuests } from "../../store/guests";
import { isolatedName, visibleLine, visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { TEXT_BYTES, asSent, bytesOf, isBlank } from "../../text/writing";
import { link } from "../../wire/link";
import { chosenFolder } from "../../wire/parcels";
import type { Parcel } from "../../wire/parcels";
import { Scan } from "./scan";

interface Choice {
  device: GuestDevice;
  files: readonly Parcel[];
}

function Device({ device, onChoose, onDropped, onWrite }: {
  device: GuestDevice; onChoose: (isFolder: boolean) => void; onDropped: (files: readonly Parcel[]) => void; onWrite: () => void;
}) {
  const { name, model, kind, address, encrypted, known, namesake } = device;
  const { isOver, handlers } = useDrop(onDropped);
  const said = isolatedName(name);
  const more = [...(known ? [t("device.known")] : []), ...(namesake ? [t("device.namesake")] : []), ...(encrypted ? [] : [t("device.plain")])];
  return (
    <li className="person device" title={visibleLine(address)} {...handlers}>
      <span className="person-link">
        <span className="row-icon"><Icon name={deviceIcon(kind)} /></span>
        <span className="row-body">
          <span className="row-title cut" title={visibleName(name)}><Name>{name}</Name></span>
          <span className="row-sub wrap"><bdi>{model === null || model === "" ? t(`device.${kind}`) : visibleLine(model)}</bdi>{more.map((one) => ` · ${one}`)}</span>
        </span>
      </span>
      <div className="row wrapping">
        <Button icon="file" aria-label={t("give.files.name", { name: said })} onClick={() => onChoose(false)}>{t("give.files")}</Button>
        <IconButton icon="folder" only="not-narrow" label={t("give.folder.name", { name: said })} onClick={() => onChoose(true)} />
        <Button icon="note" aria-label={t("give.text.name", { name: said })} onClick={onWrite}>{t("give.text")}</Button>
      </div>
      {isOver && <div className="drop-here">{t("give.files.name", { name: said })}</div>}
    </li>
  );
}

/** What should be known before something is given to a device. */
const Warnings = ({ device }: { device: GuestDevice }) => (
  <>
    {device.namesake && <Note look="warn">{t("give.namesake")}</Note>}
    {!device.encrypted && <Note look="warn">{t("guest.plain")}</Note>}
  </>
);

function TextDialog({ device, onClose }: { device: GuestDevice; onClose: () => void }) {
  const [text, setText] = useState("");
  const task = useTask();
  const bytes = bytesOf(asSent(text));
  const isLong = bytes > TEXT_BYTES;
  const send = async () => {
    if (!isLong && !isBlank(text) && (await task.run(() => giveText(device, asSent(text))))) onClose();
  };
  return (
    <Dialog
      title={t("give.text.name", { name: isolatedName(device.name) })} onClose={onClose} onSubmit={() => void send()}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look="primary" type="submit" icon="send" busy={task.busy} disabled={isLong || isBlank(text)}>{t(device.namesake ? "file.type.send" : "chat.send")}</Button>
      </>}
    >
      <TextField
        label={t("give.text.field")} value={text} rows={5} error={isLong ? t("chat.long", { bytes, most: TEXT_BYTES }) : undefined}
        onChange={(event) => setText(event.target.value)}
      />
      <Warnings device={device} />
      {task.refused !== null && <Note look="danger" alert>{givingText(task.refused, device)}</Note>}
    </Dialog>
  );
}

export function Devices() {
  const { on, devices } = useWhole(guests);
  const isOpen = useWhole(link) === "open";
  const picker = useRef<HTMLInputElement>(null);
  const target = useRef<GuestDevice | null>(null);
  // What is written or asked stays while the list changes.
  const [writing, setWriting] = useState<GuestDevice | null>(null);
  const [asked, setAsked] = useState<Choice | null>(null);
  useEffect(() => {
    if (isOpen) lookForGuests();
  }, [isOpen]);
  const give = (device: GuestDevice, files: readonly Parcel[]) => {
    if (device.namesake && files.length > 0) setAsked({ device, files });
    else giveFiles(device, files);
  };
  const choose = (device: GuestDevice, isFolder: boolean) => {
    target.current = device;
    if (picker.current === null) return;
    picker.current.webkitdirectory = isFolder;
    picker.current.click();
  };
  return (
    <>
      {on && (
        <section className="section" aria-labelledby="nearby-devices">
          <h2 id="nearby-devices">{t("nearby.devices")}</h2>
          {devices.length > 0 && (
            <ul className="people devices" aria-labelledby="nearby-devices">
              {devices.map((device) => (
                <Device key={device.id} device={device} onChoose={(isFolder) => choose(device, isFolder)} onDropped={(files) => give(device, files)} onWrite={() => setWriting(device)} />
              ))}
            </ul>
          )}
          <p className="small quiet">{t(devices.length > 0 ? "nearby.devices.more" : "nearby.devices.none")}</p>
          {devices.length === 0 && <p className="small quiet">{t("scan.more")}</p>}
          <Scan />
        </section>
      )}
      <input
        ref={picker} type="file" multiple hidden tabIndex={-1}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          const folder = chosenFolder(files);
          event.target.value = "";
          if (target.current !== null) give(target.current, folder === null ? files : [folder]);
        }}
      />
      {writing !== null && <TextDialog device={writing} onClose={() => setWriting(null)} />}
      {asked !== null && (
        <Confirm
          title={t("give.files.name", { name: isolatedName(asked.device.name) })} action={t("file.type.send")} danger={false}
          onConfirm={async () => giveFiles(asked.device, asked.files)} onClose={() => setAsked(null)}
        >
          <Warnings device={asked.device} />
        </Confirm>
      )}
    </>
  );
}
