import { useEffect, useState } from "react";
import { useWhole } from "../../base/store";
import { activeCall } from "../../call/activeCall";
import { Spinner } from "../../parts/small";
import { calls } from "../../store/calls";
import { refused } from "../../store/notices";
import { go, takeEntry } from "../../store/router";
import type { PaneProps } from "../../store/router";

/** How long the page waits for the call that the link is about, in ms. */
const WAIT = 5000;

/**
 * The place to which "Answer" of a notification and `kibo call --answer` lead: the page answers the call that rings, and shows its chat.
 * Any other address only leads to the chat, where the call rings on: a click on it would else open the microphone to the caller.
 */
export default function AnswerFromLink({ at }: PaneProps) {
  const id = at["id"] ?? "";
  const media = at["media"] === "video" ? "video" : "audio";
  const [isAsked] = useState(() => takeEntry(`answer/${id}/${media}`));
  const ringing = useWhole(calls).find((one) => one.id === id && one.state === "incoming");
  useEffect(() => {
    if (ringing === undefined) {
      // The call is over, or was answered elsewhere: the list says what became of it.
      const late = setTimeout(() => go("calls", true), WAIT);
      return () => clearTimeout(late);
    }
    // The path is replaced first, so that a reload or a step back answers nothing again.
    go(ringing.conversation === null ? "calls" : `chats/${ringing.conversation}`, true);
    if (isAsked) activeCall.accept(ringing, media).catch(refused);
    return undefined;
  }, [ringing, media, isAsked]);
  return <Spinner />;
}
