// What workspace 15's daemon tells and the written contract doesn't have yet. It goes when the contract has it.
import "./contract/types";

declare module "./contract/types" {
  interface Contact { picture?: string | null }
  interface Group { picture?: string | null }
  interface Account { picture?: string | null }
  interface Conversation { firstUnread?: string | null; missedCalls?: number }
}
