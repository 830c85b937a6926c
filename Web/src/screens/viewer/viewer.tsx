// Pictures, videos and sounds at the size of the window. Originals are fetched when a person asks for them.
import { useEffect, useId, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { useWhole } from "../../base/store";
import { IconButton } from "../../parts/button";
import { Player } from "../../parts/player";
import { Name, Note } from "../../parts/small";
import { contacts } from "../../store/contacts";
import { conversations } from "../../store/conversations";
import { groups } from "../../store/groups";
import { personName } from "../../store/people";
import { place } from "../../store/router";
import { fullTime, size } from "../../text/format";
import { visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { Picture } from "./picture";
import { fileAddress, reveal, save, viewing } from "./viewing";
import type { Shown, Viewing } from "./viewing";

/** A video with the browser's own controls. */
function Film({ item }: { item: Shown }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <div className="viewer-note"><Note look="warn">{t("viewer.cannotPlay")}</Note></div>;
  return (
    <div className="viewer-stage">
      <video className="viewer-film" controls autoPlay src={fileAddress(item.transfer, item.entry)} aria-label={visibleName(item.name)} onError={() => setBroken(true)} />
    </div>
  );
}

/** Who has sent it, and when. */
function Origin({ item }: { item: Shown }) {
  const known = useWhole(contacts);
  const { message } = item;
  if (message === null) return <span className="small quiet numbers">{size(item.size)}</span>;
  const group = groups.get().get(conversations.get().table.get(message.conversation)?.group);
  return (
    <span className="small quiet cut">
      <Name>{personName(message.sender, known, group)}</Name> · <time dateTime={new Date(message.sentAt).toISOString()}>{fullTime(message.sentAt)}</time>
    </span>
  );
}

function Frame({ now }: { now: Viewing }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const close = () => viewing.set(null);
  const item = now.items[now.at];
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    // Another screen takes the place of what is shown.
    const end = place.subscribe(close);
    return () => {
      end();
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    setProblem(null);
    // The focus goes to what is shown, unless it is on a button that still does something.
    const element = dialog.current;
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && element?.contains(focused) === true && focused.matches(".viewer-before *, .viewer-after *") && !focused.matches(":disabled")) return;
    element?.querySelector<HTMLElement>(".viewer-stage[tabindex], video, .player button")?.focus();
  }, [now.at]);
  if (item === undefined) return null;
  const { transfer, entry, kind } = item;
  const name = visibleName(item.name);
  const several = now.items.length > 1;
  const step = (by: number) => {
    const at = now.at + by;
    if (at >= 0 && at < now.items.length) viewing.set({ ...now, at });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Videos and audio have keys of their own, and so has a picture that is larger than the window.
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    const isPlaying = event.target instanceof HTMLElement && event.target.matches("video, audio, input");
    const forwards = getComputedStyle(event.currentTarget).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const backwards = forwards === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const by = { [forwards]: isPlaying ? 0 : 1, [backwards]: isPlaying ? 0 : -1, PageDown: 1, PageUp: -1 }[event.key] ?? 0;
    if (by === 0) return;
    event.preventDefault();
    step(by);
  };
  return (
    <dialog
      ref={dialog} className="viewer" aria-labelledby={id} onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <header className="viewer-head">
        <div className="viewer-words">
          <h2 id={id} className="cut" aria-live="polite"><bdi>{name}</bdi>{several && <span className="viewer-count numbers"> {t("viewer.place", { at: now.at + 1, count: now.items.length })}</span>}</h2>
          <Origin item={item} />
        </div>
        {entry === null && (
          <IconButton icon="folder" label={t("file.show", { name })} onClick={() => reveal(transfer, setProblem)} />
        )}
        <IconButton icon="download" label={t("file.save", { name })} onClick={() => save(transfer, entry)} />
        <IconButton icon="close" label={t("common.close")} onClick={close} />
      </header>
      {problem !== null && <div className="viewer-note"><Note look="warn" alert>{problem}</Note></div>}
      <div className="viewer-body">
        {kind === "image" && <Picture key={`${transfer} ${entry}`} item={item} />}
        {kind === "video" && <Film key={`${transfer} ${entry}`} item={item} />}
        {kind === "audio" && <div className="viewer-sound"><Player key={`${transfer} ${entry}`} source={fileAddress(transfer, entry)} name={name} length={null} /></div>}
        {several && (
          <>
            <span className="viewer-before"><IconButton icon="back" label={t("viewer.before")} disabled={now.at === 0} onClick={() => step(-1)} /></span>
            <span className="viewer-after"><IconButton icon="forward" label={t("viewer.after")} disabled={now.at === now.items.length - 1} onClick={() => step(1)} /></span>
          </>
        )}
      </div>
    </dialog>
  );
}

export default function Viewer() {
  const now = useWhole(viewing);
  return now === null ? null : <Frame now={now} />;
}
