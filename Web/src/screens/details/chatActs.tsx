// What the details of a chat begin with: muting it, searching in it, its files.
import { useEffect } from "react";
import { Button } from "../../parts/button";
import { conversations, loadConversation } from "../../store/conversations";
import { useStore } from "../../store/store";
import { t } from "../../text/t";
import { muteEntry } from "../chats/actions";
import { go } from "../router";
import { searchHere } from "../search/here";

export function ChatActs({ conversation, peer }: { conversation: string | null; peer?: string }) {
  const chat = useStore(conversations, ({ table }) => table.get(conversation ?? undefined));
  const isMissing = conversation !== null && chat === undefined;
  useEffect(() => {
    if (isMissing) loadConversation(conversation).catch(() => undefined);
  }, [conversation, isMissing]);
  if (chat === undefined) return null;
  const mute = muteEntry(chat);
  return (
    <div className="row wrapping center chat-acts">
      <Button icon={mute.icon} onClick={mute.run}>{mute.label}</Button>
      <Button icon="search" aria-label={t("search.here")} onClick={() => searchHere(chat.id)}>{t("search.title")}</Button>
      {peer !== undefined && <Button icon="transfers" onClick={() => go(`transfers/with/${peer}`)}>{t("details.files")}</Button>}
    </div>
  );
}
