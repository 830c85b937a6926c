import { useWhole } from "../base/store";
import type { Presence } from "../contract/codes";
import { t } from "../text/t";
import { link } from "../wire/link";
import { Icon } from "./icon";

const HUES = 12;

/** One of twelve colours, always the same for an account or group. */
export function hueOf(id: string): number {
  let hash = 2166136261;
  for (const letter of id) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619);
  return (hash >>> 0) % HUES;
}

function initials(name: string): string {
  const words = name.split(/[\s\-_.]+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const chosen = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return chosen.map((word) => [...(word ?? "")][0] ?? "").join("").toLocaleUpperCase();
}

interface AvatarProps {
  /** The account or group: gives the colour. */
  id: string;
  name: string;
  size?: "s" | "m" | "l" | "xl";
  /** Token of the picture, as in `picture` beside each `avatar` of the contract. */
  picture?: string | null | undefined;
  presence?: Presence | undefined;
  /** The words beside it say the presence, too. */
  isSaid?: boolean;
  group?: boolean;
  /** The conversation with oneself. */
  notes?: boolean;
}

/** A round picture, or initials in a colour that stays. The name stands beside it, so it is hidden from screen readers. */
export function Avatar({ id, name, size = "m", picture, presence, isSaid = false, group = false, notes = false }: AvatarProps) {
  const letters = initials(name);
  // Without the daemon nobody is known to be here, this account included.
  const isKnown = useWhole(link) === "open";
  return (
    <span className={`avatar avatar-${size} hue-${hueOf(id)}`}>
      <span className="avatar-face" aria-hidden="true">
        {picture != null
          ? <img src={`/picture/${id}/${picture}`} alt="" loading="lazy" decoding="async" />
          : group || notes || letters === "" ? <Icon name={notes ? "note" : group ? "group" : "person"} size={size === "s" ? 14 : size === "xl" ? 40 : 20} /> : letters}
      </span>
      {isKnown && presence !== undefined && presence !== "offline" && (
        <span className={`presence presence-${presence}`} aria-hidden={isSaid || undefined} title={t(`presence.${presence}`)}>
          {!isSaid && <span className="hidden-words">{t(`presence.${presence}`)}</span>}
        </span>
      )}
    </span>
  );
}
