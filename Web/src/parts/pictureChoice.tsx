import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { t } from "../text/t";
import { Button } from "./button";
import { SquareDialog } from "./squareDialog";

/** The types that the daemon can make an avatar from. */
const TYPES = "image/png,image/jpeg,image/gif,image/webp";

/**
 * A round picture that the user can choose, drop or remove; it is cropped to a square before it counts. Without a
 * picture, its children are shown. With `onRemove`, the present picture can be removed, too.
 */
export function PictureChoice({ picture, onChange, onRemove, children }: {
  picture: File | null; onChange: (picture: File | null) => void; onRemove?: (() => void) | undefined; children: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [address, setAddress] = useState<string | null>(null);
  const [uncut, setUncut] = useState<File | null>(null);
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
    if (file !== undefined && TYPES.split(",").includes(file.type)) setUncut(file);
  };
  const remove = picture !== null ? () => onChange(null) : onRemove;
  return (
    <div
      className="picture-choice" onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer.files[0]);
      }}
    >
      {address === null ? children : <img className="picture-chosen" src={address} alt={t("picture.chosen")} />}
      <div className="row wrapping center">
        <Button look="quiet" icon="image" onClick={() => input.current?.click()}>{t(picture === null && onRemove === undefined ? "picture.choose" : "picture.change")}</Button>
        {remove !== undefined && <Button look="quiet" onClick={remove}>{t("picture.remove")}</Button>}
      </div>
      <input
        ref={input} type="file" accept={TYPES} hidden
        onChange={(event) => {
          take(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      {uncut !== null && (
        <SquareDialog
          file={uncut} onClose={() => setUncut(null)}
          onDone={(cut) => {
            setUncut(null);
            onChange(cut);
          }}
        />
      )}
    </div>
  );
}
