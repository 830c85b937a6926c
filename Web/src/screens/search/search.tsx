import { useEffect, useRef } from "react";
import { useStore, useWhole } from "../../base/store";
import { Pane } from "../../parts/pane";
import { Name, SearchField } from "../../parts/small";
import { conversations } from "../../store/conversations";
import { refused } from "../../store/notices";
import { titleOf } from "../../store/people";
import type { PaneProps } from "../../store/router";
import { ask, search } from "../../store/search";
import { t } from "../../text/t";
import Results from "./results";

/** Searches for everything, or for messages and files of the chat that is open. */
export default function SearchPane({ at }: PaneProps) {
  const { query, conversation } = useWhole(search);
  const open = at["id"];
  const chat = useStore(conversations, ({ table }) => table.get(conversation ?? open));
  const top = useRef<HTMLDivElement>(null);
  const goesOn = at["message"] !== undefined;
  useEffect(() => {
    if (goesOn) return;
    const field = top.current?.querySelector("input");
    field?.focus();
    field?.select();
  }, [goesOn]);
  return (
    <Pane
      title={t("search.title")} backTo={open === undefined ? "chats" : `chats/${open}`} backAlways
      top={(
        <div ref={top}>
          <SearchField value={query} onChange={(value) => ask({ query: value }, refused)} label={conversation === null ? "search.field" : "search.here"} />
          {chat !== undefined && (
            <div className="tabs" role="group" aria-label={t("search.where")}>
              <button type="button" className="tab" aria-pressed={conversation === null} onClick={() => ask({ conversation: null }, refused)}>{t("search.all")}</button>
              <button type="button" className="tab cut" aria-pressed={conversation !== null} onClick={() => ask({ conversation: chat.id }, refused)}><Name>{titleOf(chat)}</Name></button>
            </div>
          )}
        </div>
      )}
    >
      <Results current={at["message"]} />
    </Pane>
  );
}
