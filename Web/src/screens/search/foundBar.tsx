// Stands over a chat to which a search has led: which of the results this is, and the ways to the next ones.
import { useEffect } from "react";
import { useWhole } from "../../base/store";
import { IconButton } from "../../parts/button";
import { refused } from "../../store/notices";
import { go } from "../../store/router";
import { askMore, marked, search, wordsOf } from "../../store/search";
import { t } from "../../text/t";

/** Goes to a result; the next page is read first if it is on that. */
async function goTo(index: number): Promise<void> {
  if (index === search.get().found.length) await askMore();
  const message = search.get().found[index]?.message;
  if (message !== undefined) go(`search/${message.conversation}/${message.id}`, true);
}

export default function FoundBar({ message }: { message: string }) {
  const { found, next, state } = useWhole(search);
  const index = found.findIndex((one) => one.message.id === message);
  const here = found[index];
  useEffect(() => {
    if (here === undefined) return;
    marked.set({ message: here.message.id, words: wordsOf(here) });
    return () => marked.set(null);
  }, [here]);
  if (here === undefined) return null;
  const step = (by: number) => () => void goTo(index + by).catch(refused);
  return (
    <div className="found-bar" role="group" aria-label={t("search.results")}>
      <span className="grow small numbers" role="status">{t("search.at", { at: index + 1, count: `${found.length.toLocaleString()}${next === null ? "" : "+"}` })}</span>
      <IconButton icon="up" label={t("search.older")} disabled={state === "busy" || (index === found.length - 1 && next === null)} onClick={step(1)} />
      <IconButton icon="down" label={t("search.newer")} disabled={index === 0} onClick={step(-1)} />
      <IconButton icon="close" label={t("search.close")} onClick={() => go(`chats/${here.message.conversation}`, true)} />
    </div>
  );
}
