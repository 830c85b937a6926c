import { forwardRef, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { ClipboardEvent, KeyboardEvent } from "react";
import { flushSync } from "react-dom";
import { useWhole } from "../../base/store";
import type { Message } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { later } from "../../parts/later";
import { Note } from "../../parts/small";
import { browser } from "../../store/browser";
import { make } from "../../store/changes";
import { before, drafts, setDraft, takeReturned, voiceDrafts } from "../../store/drafts";
import { histories } from "../../store/messages";
import { MOST_FILES, messagesFor, post } from "../../store/outbox";
import { fileTime } from "../../text/format";
import { laterWords } from "../../text/language";
import { t } from "../../text/t";
import { TEXT_BYTES, asSent, bytesOf, halfCharacter, isBlank } from "../../text/writing";
import { chosenFolder } from "../../wire/parcels";
import type { Parcel } from "../../wire/parcels";
import { useDoing } from "./doing";
import type { Point } from "./doing";
import { FileChips } from "./fileChips";
import { useMentioning } from "./mentioning";
import { QuoteLines } from "./quote";
import { TypingTeller } from "./typingTeller";

const EmojiPanel = later(() => import("../../parts/emojiPanel").then((part) => part.default), { close: ({ onClose }) => onClose() });
const VoiceNote = later(() => Promise.all([import("./voiceNote"), laterWords()]).then(([part]) => part.default), { close: ({ onEnd }) => onEnd(null) });

/** Why what is written can't be sent as it is. */
type Problem = { kind: "long"; bytes: number } | { kind: "half" | "blank" };

export interface ComposerHandle {
  focus(): void;
  add(files: readonly Parcel[]): void;
}

interface ComposerProps {
  /** What the next text answers or takes the place of. */
  about: { kind: "answer" | "edit"; message: Message } | null;
  onDone: () => void;
  onEditLast: (message: Message) => void;
  onAnswer: (message: Message) => void;
}

const said = (problem: Problem, isEdit: boolean): string => {
  switch (problem.kind) {
    case "long": return t("chat.long", { bytes: problem.bytes, most: TEXT_BYTES });
    case "half": return t("chat.half");
    case "blank": return t(isEdit ? "chat.blank.edit" : "chat.blank");
  }
};

/** Whether the pictures in a clipboard are only drawings of the text that is in it, as of a spreadsheet's cells. A file that was copied has a place. */
const isDrawnText = (clipboard: DataTransfer): boolean =>
  [...clipboard.files].every((file) => file.type.startsWith("image/")) && !clipboard.types.includes("text/uri-list") && !isBlank(clipboard.getData("text/plain"));

export const Composer = forwardRef<ComposerHandle, ComposerProps>(function Composer({ about, onDone, onEditLast, onAnswer }, handle) {
  const doing = useDoing();
  const id = doing.conversation;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const folderPicker = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(() => drafts.get().get(id) ?? "");
  const [files, setFiles] = useState<readonly Parcel[]>([]);
  const [emojiAt, setEmojiAt] = useState<Point | null>(null);
  const [isRecording, setRecording] = useState(() => voiceDrafts.get().has(id));
  const { enterSends } = useWhole(browser);
  const [teller] = useState(() => new TypingTeller(id));
  const editing = about?.kind === "edit" ? about.message : null;

  /** Why the last attempt to send was refused, until the text is another. */
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const bytes = text.length * 3 > TEXT_BYTES ? bytesOf(asSent(text)) : 0;
  const problem: Problem | null = bytes > TEXT_BYTES ? { kind: "long", bytes } : refusal;

  const add = (more: readonly Parcel[]) => setFiles((now) => [...now, ...more]);
  useImperativeHandle(handle, () => ({
    focus: () => field.current?.focus(),
    add(more) {
      add(more);
      field.current?.focus();
    },
  }));
  useEffect(() => () => teller.stop(), [teller]);

  // While a message is edited, its text is shown. Afterwards the earlier draft is back.
  const kept = useRef("");
  useEffect(() => {
    if (editing === null) return;
    setText((now) => {
      kept.current = now;
      return editing.text;
    });
    return () => setText(kept.current);
  }, [editing]);
  useEffect(() => {
    if (about !== null) field.current?.focus();
  }, [about]);
  useEffect(() => takeReturned(id, (returned) => {
    setFiles((now) => [...returned.files, ...now]);
    if (editing !== null) kept.current = before(returned.text, kept.current);
    else write(before(returned.text, field.current?.value ?? ""));
    const answered = histories.get().get(id)?.rows.find((row) => row.id === returned.replyTo);
    if (editing === null && answered !== undefined) onAnswer(answered);
    field.current?.focus();
  }));

  // Browsers without field-sizing are told the height.
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null || CSS.supports("field-sizing", "content")) return;
    element.style.setProperty("height", "auto");
    element.style.setProperty("height", `${element.scrollHeight}px`);
  }, [text]);

  const write = (value: string) => {
    setText(value);
    setRefusal(null);
    if (editing === null) setDraft(id, value);
    teller.typed(value.trim() !== "" && editing === null && doing.kind !== "notes");
  };
  const canSend = problem === null && (!isBlank(text) || (files.length > 0 && editing === null));
  const send = () => {
    const words = isBlank(text) ? "" : asSent(text);
    const half = halfCharacter(text);
    if (half >= 0) {
      setRefusal({ kind: "half" });
      field.current?.setSelectionRange(half, half + 1);
    } else if (words === "" && (editing !== null || (text !== "" && files.length === 0))) {
      setRefusal({ kind: "blank" });
    }
    // A text that is too long has said so since it is.
    if (half >= 0 || !canSend) return field.current?.focus();
    teller.sent();
    if (editing !== null) {
      if (words !== editing.text) make(id, { method: "message.edit", params: { id: editing.id, text: words } });
      return onDone();
    }
    post(id, words, about?.message.id ?? null, files);
    setText("");
    setDraft(id, "");
    setFiles([]);
    onDone();
  };
  /** Turns the text into a file, which is then no longer the message's text. */
  const makeFile = () => {
    add([new File([text], t("chat.textFile", { time: fileTime(new Date()) }), { type: "text/plain" })]);
    write("");
    field.current?.focus();
  };
  const endRecording = (note: File | null) => {
    setRecording(false);
    if (note !== null) {
      post(id, "", about?.kind === "answer" ? about.message.id : null, [note]);
      onDone();
    }
    requestAnimationFrame(() => field.current?.focus());
  };
  const replace = (from: number, to: number, words: string) => {
    // At once: the next key may come before the next frame.
    flushSync(() => write(text.slice(0, from) + words + text.slice(to)));
    field.current?.focus();
    field.current?.setSelectionRange(from + words.length, from + words.length);
  };
  const mentioning = useMentioning(text, doing.people, replace);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || mentioning.keyDown(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && (event.ctrlKey || event.metaKey || enterSends)) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && about !== null) {
      event.preventDefault();
      event.stopPropagation();
      onDone();
    } else if (event.key === "ArrowUp" && text === "" && about === null) {
      const last = [...(histories.get().get(id)?.rows ?? [])].reverse().find((row) => row.sender === doing.own && !row.deleted && row.kind === "text");
      if (last !== undefined) {
        event.preventDefault();
        onEditLast(last);
      }
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    if (pasted.length === 0 || isDrawnText(event.clipboardData)) return;
    event.preventDefault();
    // Browsers call each picture out of the clipboard so.
    add(pasted.map((file) => file.name === "image.png" ? new File([file], t("chat.pasted", { time: fileTime(new Date()) }), { type: file.type }) : file));
  };
  const insert = (emoji: string) => {
    const element = field.current;
    replace(element?.selectionStart ?? text.length, element?.selectionEnd ?? text.length, emoji);
  };

  return (
    <form
      className="composer" aria-label={t("chat.composer")}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="composer-box">
        {about !== null && (
          <div className="composer-about">
            <div className="quote"><span className="composer-what">{t(about.kind === "edit" ? "message.editing" : "message.answering")}</span><QuoteLines message={about.message} /></div>
            <IconButton small icon="close" label={t("common.cancel")} onClick={onDone} />
          </div>
        )}
        {problem !== null && (
          <Note look="danger" alert>
            <p>{said(problem, editing !== null)}</p>
            {problem.kind === "long" && editing === null && (
              <div className="file-buttons"><Button icon="file" onClick={makeFile}>{t("chat.long.asFile")}</Button></div>
            )}
          </Note>
        )}
        {files.length > MOST_FILES && <Note><p>{t("chat.files.several", { count: files.length, messages: messagesFor(files), most: MOST_FILES })}</p></Note>}
        {files.length > 0 && <FileChips files={files} onRemove={(file) => setFiles((now) => now.filter((one) => one !== file))} />}
        {isRecording && <VoiceNote conversation={id} onEnd={endRecording} />}
        {mentioning.list}
        <div className="composer-row" hidden={isRecording}>
          {editing === null && (
            <>
              <IconButton icon="attach" label={t("chat.attach")} onClick={() => picker.current?.click()} />
              <input
                ref={picker} type="file" multiple hidden tabIndex={-1}
                onChange={(event) => {
                  add([...(event.target.files ?? [])]);
                  event.target.value = "";
                  field.current?.focus();
                }}
              />
              <IconButton icon="folder" only="not-narrow" label={t("chat.attachFolder")} onClick={() => folderPicker.current?.click()} />
              <input
                ref={folderPicker} type="file" webkitdirectory="" hidden tabIndex={-1}
                onChange={(event) => {
                  const folder = chosenFolder([...(event.target.files ?? [])]);
                  if (folder !== null) add([folder]);
                  event.target.value = "";
                  field.current?.focus();
                }}
              />
            </>
          )}
          <textarea
            ref={field} className="composer-text" rows={1} dir="auto" value={text} data-first aria-invalid={problem !== null}
            placeholder={t("chat.write")} aria-label={t("chat.write")} {...mentioning.field}
            onChange={({ target }) => {
              write(target.value);
              mentioning.moved(target.selectionEnd);
            }}
            onSelect={({ currentTarget: { selectionStart, selectionEnd } }) => mentioning.moved(selectionStart === selectionEnd ? selectionEnd : null)}
            onKeyDown={onKeyDown} onPaste={onPaste}
            onBlur={() => {
              teller.stop();
              mentioning.moved(null);
            }}
          />
          <IconButton
            icon="emoji" label={t("chat.emoji")} aria-expanded={emojiAt !== null} aria-haspopup="dialog"
            onClick={(event) => {
              const box = event.currentTarget.getBoundingClientRect();
              setEmojiAt({ x: box.right - 320, y: box.top - 352 });
            }}
          />
          {editing === null && !canSend && <IconButton icon="mic" label={t("voice.record")} onClick={() => setRecording(true)} />}
          <IconButton
            icon={editing === null ? "send" : "check"} look="primary" label={t(editing === null ? "chat.send" : "common.save")} type="submit" disabled={!canSend}
            {...(canSend || editing !== null ? {} : { only: "not-narrow" as const })}
          />
        </div>
      </div>
      {emojiAt !== null && (
        <EmojiPanel at={emojiAt} label={t("chat.emoji")} onPick={insert} onClose={() => setEmojiAt(null)} />
      )}
    </form>
  );
});
