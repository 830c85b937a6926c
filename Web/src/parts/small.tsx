// Small parts that need no file of their own.
import type { ReactNode } from "react";
import { useWhole } from "../base/store";
import { visibleName } from "../text/safe";
import { t } from "../text/t";
import type { Key } from "../text/t";
import { link } from "../wire/link";
import { Icon } from "./icon";
import type { IconName } from "./icon";

/** A name that others chose: isolated from the direction of the text around it, controls and what is invisible made visible. */
export const Name = ({ children }: { children: string }) => <bdi className="name">{visibleName(children)}</bdi>;

/** A counter. `label` says in words what it counts, with the number. */
export function Badge({ count, label, look = "unread", most = 999 }: { count: number; label: string; look?: "unread" | "muted" | "info"; most?: number }) {
  if (count <= 0) return null;
  return (
    <span className={`badge badge-${look} numbers`}>
      <span aria-hidden="true">{count > most ? `${most}+` : count}</span>
      <span className="hidden-words">{label}</span>
    </span>
  );
}

/** What is shown while an answer is awaited. It shows after a moment only, so that quick answers don't flicker. Nothing turns while none can come. */
export function Spinner({ label }: { label?: string }) {
  const way = useWhole(link);
  return (
    <div className="waiting" role="status">
      {way === "open" || way === "starting"
        ? <><span className="spinner" aria-hidden="true" /><span className="hidden-words">{label ?? t("common.loading")}</span></>
        : <span className="quiet small">{t("common.awaits")}</span>}
    </div>
  );
}

/** Shown where there is nothing yet, with what the user can do about it. */
export function Empty({ icon, title, isHeading = false, children }: { icon: IconName; title: string; isHeading?: boolean; children?: ReactNode }) {
  const Title = isHeading ? "h1" : "p";
  return (
    <div className="empty">
      <span className="empty-icon"><Icon name={icon} size={40} /></span>
      <Title className="empty-title">{title}</Title>
      {children !== undefined && <div className="empty-more">{children}</div>}
    </div>
  );
}

/** A bar with its share in words. `value` and `max` are in one unit; without `value` it only moves. */
export function Progress({ value, max, label }: { value?: number; max: number; label: string }) {
  return <progress className="progress" aria-label={label} max={Math.max(max, 1)} {...(value === undefined ? {} : { value })} />;
}

/** A sentence about what went wrong or should be known, within a screen. */
export function Note({ look = "info", children, alert = false }: { look?: "info" | "warn" | "danger"; children: ReactNode; alert?: boolean }) {
  return (
    <div className={`note note-${look}`} role={alert ? "alert" : undefined}>
      <Icon name={look === "info" ? "info" : "warn"} size={18} />
      <div className="grow wrap">{children}</div>
    </div>
  );
}

/** A field for filtering a list. */
export function SearchField({ value, onChange, label, placeholder }: {
  value: string; onChange: (value: string) => void; label: Key; placeholder?: Key;
}) {
  return (
    <label className="search-field">
      <Icon name="search" size={16} />
      <span className="hidden-words">{t(label)}</span>
      <input
        type="search" value={value} placeholder={t(placeholder ?? label)} dir="auto" spellCheck={false} autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
