import type { MessageState } from "../contract/codes";
import type { Message } from "../contract/types";
import { lastDay } from "../text/format";
import { isolatedName } from "../text/safe";
import { t } from "../text/t";
import { Icon } from "./icon";

const icons = { queued: "clock", sent: "check", delivered: "checks", read: "checks", failed: "warn", received: "check" } as const;

/** The courier who keeps a message meanwhile. */
type Holder = Message["recipients"][number]["heldBy"];

/** Who keeps a message for its only recipient, who is away. */
export const holderOf = ({ recipients }: Message): Holder => (recipients.length === 1 ? recipients[0]?.heldBy : undefined);

/** How far an own message has come: an icon, and the words for those who can't see it. */
export function StateTick({ state, heldBy }: { state: MessageState; heldBy?: Holder | undefined }) {
  if (state === "received") return null;
  const words = heldBy === undefined ? t(`state.${state}`) : t("state.held", { name: isolatedName(heldBy.name), day: lastDay(heldBy.until) });
  return (
    <span className={`tick tick-${heldBy === undefined ? state : "held"}`} title={words}>
      <Icon name={heldBy === undefined ? icons[state] : "parcel"} size={14} />
      <span className="hidden-words">{words}</span>
    </span>
  );
}
