import { useStore } from "../../base/store";
import type { Message } from "../../contract/types";
import type { QuickEntry } from "../../parts/menu";
import { contacts } from "../../store/contacts";
import { personName } from "../../store/people";
import { listed } from "../../text/format";
import { isolatedName, visible } from "../../text/safe";
import { t } from "../../text/t";
import { useDoing } from "./doing";
import type { Doing, Point } from "./doing";

/** The reactions that are chosen at once. */
const USUAL = ["👍", "❤️", "😂", "😮", "😢", "🙏"];

/** The usual reactions to a message, which take back one's own, and the way to all others. */
export function quickReactions(message: Message, doing: Doing, at: Point): QuickEntry[] {
  const mine = (emoji: string) => message.reactions.some((one) => one.emoji === emoji && one.account === doing.own);
  return [
    ...USUAL.map((emoji) => ({ label: emoji, sign: emoji, run: () => doing.react(message, emoji, mine(emoji)) })),
    { label: t("message.react.other"), icon: "add", run: () => doing.pick(message, at) },
  ];
}

/** The reactions to a message: each sign once, with how many and who. Pressing one's own takes it back. */
export function Reactions({ message }: { message: Message }) {
  const doing = useDoing();
  const known = useStore(contacts, (table) => table);
  const signs = new Map<string, string[]>();
  for (const { emoji, account } of message.reactions) signs.set(emoji, [...(signs.get(emoji) ?? []), account]);
  return (
    <div className="reactions">
      {[...signs].map(([emoji, accounts]) => {
        const mine = accounts.includes(doing.own);
        const label = t("message.reaction", { emoji: visible(emoji), names: listed(accounts.map((id) => isolatedName(personName(id, known, doing.group)))) });
        return (
          <button
            key={emoji} type="button" className="reaction" aria-pressed={mine} title={label} aria-label={label} tabIndex={-1}
            disabled={!doing.canWrite} onClick={() => doing.react(message, emoji, mine)}
          >
            <span aria-hidden="true">{visible(emoji)}</span>
            {accounts.length > 1 && <span className="reaction-count numbers" aria-hidden="true">{accounts.length}</span>}
          </button>
        );
      })}
    </div>
  );
}
