import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { t } from "../text/t";
import { Button } from "./button";

/** The types of which the daemon makes an avatar. */
const TYPES = "image/png,image/jpeg,image/gif,image/webp";

/** A round picture to choose, to drop or to take away; without one its children stand there. */
export function PictureChoice({ picture, onChange, children }: { picture: File | null; onChange: (picture: File | null) => void; children: ReactNode }) {
  const input = useRef<HTMLInputElement>(null);
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (picture === null) return;
    const made = URL.createObjectURL(picture);
    setAddress(made);
    return () => {
      setAddress(null);
      URL.revokeObjectURL(made);
    };
  }, [picture]);
  const take = (file: File | undefined) => {
    if (file !== undefined && TYPES.split(",").includes(file.type)) onChange(file);
  };
  return (
    <div
      className="picture-choice" onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer.files[0]);
      }}
    >
      {address === null ? children : <img className="picture-chosen" src={address} alt={t("picture.chosen")} />}
      <div className="row">
        <Button look="quiet" icon="image" onClick={() => input.current?.click()}>{t(picture === null ? "picture.choose" : "picture.change")}</Button>
        {picture !== null && <Button look="quiet" onClick={() => onChange(null)}>{t("common.remove")}</Button>}
      </div>
      <input
        ref={input} type="file" accept={TYPES} hidden
        onChange={(event) => {
          take(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
    </div>
  );
}
