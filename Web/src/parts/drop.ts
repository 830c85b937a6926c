import { useState } from "react";
import type { DragEvent } from "react";
import { refused } from "../store/notices";
import { dropped } from "../wire/parcels";
import type { Parcel } from "../wire/parcels";

/** Takes files and folders that are dropped onto a part: `isOver` while some are held over it. Without `take` it takes none. */
export function useDrop(take: ((parcels: Parcel[]) => void) | undefined) {
  const [depth, setDepth] = useState(0);
  const takes = (event: DragEvent) => take !== undefined && event.dataTransfer.types.includes("Files");
  const enter = (step: number) => (event: DragEvent) => {
    if (takes(event)) setDepth((now) => Math.max(0, now + step));
  };
  const handlers = {
    onDragEnter: enter(1), onDragLeave: enter(-1),
    onDragOver: (event: DragEvent) => {
      if (takes(event)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      setDepth(0);
      if (take === undefined || event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      dropped(event.dataTransfer).then(take, refused);
    },
  };
  return { isOver: depth > 0, handlers };
}
