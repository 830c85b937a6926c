import type { MessageState } from "../contract/codes";
import type { Message } from "../contract/types";
import { lastDay } from "../text/format";
import { isolatedName } from "../text/safe";
import { t } from "../text/t";
import { Icon } from "./icon";

const icons = { queued: "clock", sent: "check", delivered: "checks", read: "checks", failed: "warn", received: "check" } as const;

/** The courier who keeps a message meanwhile. */
type Holder = Message["recipients"][number]["heldBy"];

/** Who keeps a message, and until when. */
export const heldText = ({ name, until }: NonNullable<Holder>): string => t("state.held", { name: isolatedName(name), day: lastDay(until) });

/** Who keeps a message for its only recipient, who is away. */
export const holderOf = ({ recipients }: Message): Holder => (recipients.length === 1 ? recipients[0]?.heldBy : undefined);

/** How far an own message has come: an icon, and the words for those who can't see it, unless the same words stand beside it. */
export function StateTick({ state, heldBy, isTold = false }: { state: MessageState; heldBy?: Holder | undefined; isTold?: boolean }) {
  if (state === "received") return null;
  const words = heldBy === undefined ? t(`state.${state}`) : heldText(heldBy);
  return (
    <span className={`tick tick-${heldBy === undefined ? state : "held"}`} title={words}>
      <Icon name={heldBy === undefined ? icons[state] : "parcel"} size={14} />
      {!isTold && <span className="hidden-words">{words}</span>}
    </span>
  );
}
