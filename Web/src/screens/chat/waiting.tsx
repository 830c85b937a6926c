import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { Note, Progress } from "../../parts/small";
import { StateTick } from "../../parts/state";
import { Text } from "../../parts/text";
import { drop, tryAgain } from "../../store/outbox";
import type { Waiting } from "../../store/outbox";
import { cancelUploads, uploads } from "../../store/uploads";
import { useStore } from "../../store/store";
import { clockTime, percent } from "../../text/format";
import { visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { Quote } from "./quote";

/** Files of a message that are still being copied to the daemon. */
function Files({ item }: { item: Waiting }) {
  const states = useStore(uploads, (all) => item.uploads.map((id) => all.get(id)));
  return (
    <>
      {states.map((upload, index) => upload !== undefined && (
        <div className="file" key={upload.key}>
          <span className="file-icon"><Icon name="upload" /></span>
          <div className="file-body">
            <span className="file-name cut"><bdi>{visibleName(upload.name)}</bdi></span>
            <Progress value={upload.sent} max={upload.size} label={t("file.uploading.label", { name: visibleName(upload.name) })} />
            <span className="file-line numbers">{t("file.uploading", { percent: percent(upload.size === 0 ? 1 : upload.sent / upload.size) })}</span>
            {index === 0 && (
              <div className="file-buttons">
                <Button onClick={() => {
                  cancelUploads(item.uploads);
                  drop(item.key);
                }}>{t("common.cancel")}</Button>
              </div>
            )}
          </div>
        </div>
      ))}
    </>
  );
}

/** What was written here and has no answer yet. */
export function WaitingRow({ item }: { item: Waiting }) {
  return (
    <li className="message message-own message-first message-last">
      <div className="message-stack">
        <div className={`bubble${item.uploads.length > 0 ? " bubble-files" : ""}`}>
          <span className="hidden-words">{t("common.you")}</span>
          {item.replyTo !== null && <Quote id={item.replyTo} />}
          {item.uploads.length > 0 && <Files item={item} />}
          {item.text !== "" && <Text>{item.text}</Text>}
          <span className="meta numbers">
            <time dateTime={new Date(item.at).toISOString()}>{clockTime(item.at)}</time>
            <StateTick state={item.problem === null ? "queued" : "failed"} />
          </span>
        </div>
        {item.problem !== null && (
          <Note look="danger" alert>
            <p>{item.problem}</p>
            <div className="file-buttons">
              <Button icon="retry" onClick={() => tryAgain(item.key)}>{t("common.retry")}</Button>
              <Button onClick={() => drop(item.key)}>{t("common.remove")}</Button>
            </div>
          </Note>
        )}
      </div>
    </li>
  );
}
