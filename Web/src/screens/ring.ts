// Begins calls from any screen: what a call needs comes only then.
import type { MessageCall } from "../contract/types";
import { refused } from "../store/notices";

/** Calls the friend of a conversation, or its group. */
export const ring = (conversation: string, media: MessageCall["media"]): void =>
  void import("./sides/calls").then(({ activeCall }) => activeCall.start(conversation, media)).catch(refused);
