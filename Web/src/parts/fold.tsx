import { useState } from "react";
import type { ReactNode } from "react";
import { t } from "../text/t";
import { Button } from "./button";

/** The first items of a list, and the others once they are asked for. The children are the items. */
export function Fold({ most, ordered = false, className, children }: { most: number; ordered?: boolean; className?: string; children: readonly ReactNode[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? children : children.slice(0, most);
  const List = ordered ? "ol" : "ul";
  const left = children.length - shown.length;
  return (
    <>
      <List className={className}>{shown}</List>
      {left > 0 && <Button look="quiet" onClick={() => setOpen(true)}>{t("story.more", { count: left })}</Button>}
    </>
  );
}
