// What can be done with the messages of the open chat. One object for all rows; it has nothing that changes with each message.
import { createContext, useContext } from "react";
import type { ConversationKind } from "../../contract/codes";
import type { Group, Message } from "../../contract/types";
import type { Mentioned } from "../../text/mentions";

export interface Point {
  x: number;
  y: number;
}

export interface Doing {
  conversation: string;
  kind: ConversationKind;
  group: Group | undefined;
  own: string;
  /** Who can be mentioned: the members of the group. */
  people: readonly Mentioned[];
  /** Whether this account can write here: a friend, or a member of the group. */
  canWrite: boolean;
  answer(message: Message): void;
  edit(message: Message): void;
  remove(message: Message): void;
  story(message: Message): void;
  /** Sends messages on to other chats. */
  forward(...messages: Message[]): void;
  react(message: Message, emoji: string, remove: boolean): void;
  /** Opens the choice of an emoji for a message. */
  pick(message: Message, at: Point): void;
  menu(message: Message, at: Point): void;
  /** Says who somebody in the group is. */
  who(account: string): void;
  jump(id: string): void;
}

export const DoingContext = createContext<Doing | null>(null);

export function useDoing(): Doing {
  const doing = useContext(DoingContext);
  if (doing === null) throw new Error("a message outside of a chat");
  return doing;
}
