import { useEffect } from "react";
import { Spinner } from "../../parts/small";
import { go, takeEntry } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { ring } from "../ring";

/** The place to which `kibo call` leads: the page begins the call, and shows the chat. */
export default function RingFromLink({ at }: PaneProps) {
  const id = at["id"] ?? "";
  const media = at["media"] === "video" ? "video" : "audio";
  useEffect(() => {
    // The path is replaced first, so that a reload or a step back doesn't call again.
    go(`chats/${id}`, true);
    // Only the address of `kibo call` begins a call: with others, a click on a link would open the microphone.
    if (takeEntry(`call/${id}/${media}`)) ring(id, media);
  }, [id, media]);
  return <Spinner />;
}
