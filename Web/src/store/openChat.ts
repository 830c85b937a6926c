import { seenNow } from "../wire/events";
import { call } from "../wire/rpc";
import { takeConversations } from "./conversations";
import { go } from "./router";

/** Returns the chat with a friend, which is made where there is none yet. */
export async function chatWith(contact: string): Promise<string> {
  const asked = seenNow();
  const conversation = await call("conversation.open", { contact });
  takeConversations([conversation], asked);
  return conversation.id;
}

/** Goes to the chat with a friend, making it if there is none yet. With `instead`, going back skips the screen that this was called from. */
export async function openChat(contact: string, instead = false): Promise<void> {
  go(`chats/${await chatWith(contact)}`, instead);
}
