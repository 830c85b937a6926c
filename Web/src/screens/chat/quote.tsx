import { useEffect } from "react";
import { useStore } from "../../base/store";
import type { Message } from "../../contract/types";
import { Name } from "../../parts/small";
import { histories } from "../../store/messages";
import { usePersonName } from "../../store/people";
import { quotes, wantQuote } from "../../store/quotes";
import { link } from "../../wire/link";
import { preview } from "../../text/preview";
import { t } from "../../text/t";
import { useDoing } from "./doing";

/** A message in two lines: who, and the beginning of what. */
export function QuoteLines({ message }: { message: Message }) {
  const { group } = useDoing();
  const name = usePersonName(message.sender, group);
  return (
    <>
      <span className="quote-name cut"><Name>{name}</Name></span>
      <span className="quote-text cut"><bdi>{preview(message)}</bdi></span>
    </>
  );
}

/** What a message answers; it leads there. */
export function Quote({ id }: { id: string }) {
  const { conversation, jump } = useDoing();
  const here = useStore(histories, (all) => all.get(conversation)?.rows.find((row) => row.id === id));
  const fetched = useStore(quotes, (all) => all.get(id));
  const isOpen = useStore(link, (way) => way === "open");
  useEffect(() => {
    if (here === undefined && isOpen) wantQuote(id);
  }, [here, id, isOpen]);
  const message = here ?? fetched;
  if (message == null) return <span className="quote"><span className="quote-text">{t(message === null ? "message.quoteGone" : "common.loading")}</span></span>;
  return (
    <button type="button" className="quote" tabIndex={-1} onClick={() => jump(id)} title={t("message.jump")}>
      <QuoteLines message={message} />
    </button>
  );
}
