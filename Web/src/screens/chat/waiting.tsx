import { useRef } from "react";
import { useStore } from "../../base/store";
import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { Note, Progress } from "../../parts/small";
import { StateTick } from "../../parts/state";
import { Text } from "../../parts/text";
import { conversations } from "../../store/conversations";
import { chooseAgain, giveUp, isFolderLost, sendAnyway, takeBack, tryAgain } from "../../store/outbox";
import type { Waiting } from "../../store/outbox";
import { uploads } from "../../store/uploads";
import { clockTime, percent, size } from "../../text/format";
import { isolatedName, visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { chosenFolder } from "../../wire/parcels";
import { useDoing } from "./doing";
import { Quote } from "./quote";

/** So many files of a message have a line while they are copied: hundreds of small ones are soon over. */
const LINES = 4;

/** Files of a message that are still being copied to the daemon. */
function Files({ item }: { item: Waiting }) {
  const lines = item.uploads.length > LINES + 1 ? LINES : item.uploads.length;
  const states = useStore(uploads, (all) => item.uploads.slice(0, lines).map((id) => all.get(id)));
  return (
    <>
      {states.map((upload, index) => upload !== undefined && (
        <div className="file" key={upload.key}>
          <span className="file-icon"><Icon name="upload" /></span>
          <div className="file-body">
            <span className="file-name cut"><bdi>{visibleName(upload.name)}</bdi></span>
            {item.problem === null
              ? (
                <>
                  <Progress value={upload.sent} max={upload.size} label={t("file.uploading.label", { name: visibleName(upload.name) })} />
                  <span className="file-line numbers">{t("file.uploading", { percent: percent(upload.size === 0 ? 1 : upload.sent / upload.size) })}</span>
                </>
              )
              : <span className="file-line numbers">{size(upload.size)}</span>}
            {index === 0 && item.problem === null && (
              <div className="file-buttons">
                <Button onClick={() => giveUp(item)}>{t("common.cancel")}</Button>
              </div>
            )}
          </div>
        </div>
      ))}
      {item.uploads.length > lines && <span className="file-line">{t("file.more", { count: item.uploads.length - lines })}</span>}
    </>
  );
}

/** Lets the user choose a file or folder again that can't be read any more. */
function ChooseAgain({ item }: { item: Waiting }) {
  const picker = useRef<HTMLInputElement>(null);
  const isFolder = isFolderLost(item);
  return (
    <>
      <Button icon={isFolder ? "folder" : "attach"} onClick={() => picker.current?.click()}>{t("file.chooseAgain")}</Button>
      <input
        ref={picker} type="file" hidden tabIndex={-1} {...(isFolder ? { webkitdirectory: "" } : {})}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          const chosen = isFolder ? chosenFolder(files) : files[0];
          if (chosen != null) chooseAgain(item, chosen);
        }}
      />
    </>
  );
}

/** What was written here and has no answer yet. */
export function WaitingRow({ item }: { item: Waiting }) {
  const conversation = useStore(conversations, ({ table }) => table.get(item.conversation));
  const { people } = useDoing();
  const asks = item.isOfOtherType === true && item.anyType !== true;
  return (
    <li className="message message-own message-first message-last">
      <div className="message-stack">
        <div className={`bubble${item.uploads.length > 0 ? " bubble-files" : ""}`}>
          <span className="hidden-words">{t("common.you")}</span>
          {item.replyTo !== null && <Quote id={item.replyTo} />}
          {item.uploads.length > 0 && <Files item={item} />}
          {item.text !== "" && <Text id={item.key} isFormatted people={people}>{item.text}</Text>}
          <span className="meta numbers">
            <time dateTime={new Date(item.at).toISOString()}>{clockTime(item.at)}</time>
            <StateTick state={item.problem === null ? "queued" : "failed"} />
          </span>
        </div>
        {item.problem !== null && (
          <Note look="danger" alert>
            <p>{asks ? t(conversation?.kind === "group" ? "file.type.askGroup" : "file.type.ask", { name: isolatedName(conversation?.title ?? "") }) : item.problem}</p>
            <div className="file-buttons">
              {asks
                ? <Button onClick={() => sendAnyway(item)}>{t("file.type.send")}</Button>
                : item.lost === undefined ? <Button icon="retry" onClick={() => tryAgain(item.key)}>{t("common.retry")}</Button> : <ChooseAgain item={item} />}
              <Button icon="edit" onClick={() => takeBack(item)}>{t("message.edit")}</Button>
              <Button onClick={() => giveUp(item)}>{t("common.remove")}</Button>
            </div>
          </Note>
        )}
      </div>
    </li>
  );
}
