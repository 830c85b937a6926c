import type { MessageState } from "../contract/codes";
import { t } from "../text/t";
import { Icon } from "./icon";

const icons = { queued: "clock", sent: "check", delivered: "checks", read: "checks", failed: "warn", received: "check" } as const;

/** How far an own message has come: an icon, and the word for those who can't see it. */
export function StateTick({ state }: { state: MessageState }) {
  if (state === "received") return null;
  return (
    <span className={`tick tick-${state}`} title={t(`state.${state}`)}>
      <Icon name={icons[state]} size={14} />
      <span className="hidden-words">{t(`state.${state}`)}</span>
    </span>
  );
}
