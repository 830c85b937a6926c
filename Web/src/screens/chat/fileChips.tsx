import { useEffect, useState } from "react";
import { IconButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { size } from "../../text/format";
import { visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { Folder } from "../../wire/parcels";
import type { Parcel } from "../../wire/parcels";

/** Own pictures up to this size are shown before they are sent, in bytes. */
const SHOWN = 20 * 1024 * 1024;
/** So many pictures are shown, and so many files have a line: thousands would stop the page. */
const PICTURES = 32;
const LINES = 100;

function Chip({ file, hasPicture, onRemove }: { file: Parcel; hasPicture: boolean; onRemove: () => void }) {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!hasPicture || file instanceof Folder || !/^image\/(png|jpeg|gif|webp)$/.test(file.type) || file.size > SHOWN) return;
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file, hasPicture]);
  const name = visibleName(file.name);
  return (
    <li className="chip">
      {address === null ? <Icon name={file instanceof Folder ? "folder" : "file"} size={18} /> : <img src={address} alt="" />}
      <span className="cut" title={name}><bdi>{name}</bdi></span>
      <span className="quiet numbers">{size(file.size)}</span>
      <IconButton small icon="close" label={t("file.dontSend", { name })} onClick={onRemove} />
    </li>
  );
}

/** The files that the next message takes along. */
export const FileChips = ({ files, onRemove }: { files: readonly Parcel[]; onRemove: (file: Parcel) => void }) => (
  <ul className="composer-files" aria-label={t("chat.files")}>
    {files.slice(0, LINES).map((file, index) => <Chip key={`${index} ${file.name}`} file={file} hasPicture={index < PICTURES} onRemove={() => onRemove(file)} />)}
    {files.length > LINES && <li className="chip">{t("file.more", { count: files.length - LINES })}</li>}
  </ul>
);
