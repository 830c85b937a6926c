// What the details of a chat begin with: muting it, searching in it, its pictures, files and links.
import { useCallback, useEffect, useState } from "react";
import { useStore } from "../../base/store";
import { Button } from "../../parts/button";
import { Menu } from "../../parts/menu";
import { conversations, loadConversation } from "../../store/conversations";
import { go } from "../../store/router";
import { t } from "../../text/t";
import { muteEntry, mutedWords } from "../chats/actions";
import { searchHere } from "../search/here";

export function ChatActs({ conversation }: { conversation: string | null }) {
  const chat = useStore(conversations, ({ table }) => table.get(conversation ?? undefined));
  const [at, setAt] = useState<{ x: number; y: number } | null>(null);
  const close = useCallback(() => setAt(null), []);
  const isMissing = conversation !== null && chat === undefined;
  useEffect(() => {
    if (isMissing) loadConversation(conversation).catch(() => undefined);
  }, [conversation, isMissing]);
  if (chat === undefined) return null;
  const mute = muteEntry(chat);
  return (
    <>
      <div className="row wrapping center chat-acts">
        {"run" in mute ? <Button icon="bell" onClick={mute.run}>{mute.label}</Button> : (
          <Button
            icon="bellOff" aria-haspopup="menu" aria-expanded={at !== null}
            onClick={({ currentTarget }) => {
              const { x, bottom } = currentTarget.getBoundingClientRect();
              setAt({ x, y: bottom + 4 });
            }}
          >
            {mute.label}
          </Button>
        )}
        <Button icon="search" aria-label={t("search.here")} onClick={() => searchHere(chat.id)}>{t("search.title")}</Button>
        <Button icon="image" onClick={() => go(`chats/${chat.id}/media`)}>{t("media.title")}</Button>
      </div>
      {chat.muted && <p className="small quiet">{mutedWords(chat)}</p>}
      {at !== null && "entries" in mute && <Menu label={mute.label} entries={mute.entries} at={at} onClose={close} />}
    </>
  );
}
