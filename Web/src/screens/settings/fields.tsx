// Settings that are written: numbers, words, texts. They count when they are saved.
import { useEffect, useRef, useState } from "react";
import type { FormEvent, ReactNode } from "react";
import type { Json, Setting } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Field, TextField } from "../../parts/field";
import { Select } from "../../parts/select";
import { byteUnits } from "../../text/format";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { useInviteText } from "../invite/text";
import type { ControlProps } from "./control";
import { settingHint, settingLabel } from "./sections";
import { byteSize, byteUnitOf, strings, unitOf, valueText } from "./values";
import type { ByteUnit } from "./values";

const limit = (setting: Setting, name: string): number | undefined => {
  const value = setting.limits?.[name];
  return typeof value === "number" ? value : undefined;
};

/** Saves what was written, or goes back to what counts. */
function Buttons({ isBusy, onCancel }: { isBusy: boolean; onCancel: () => void }) {
  return (
    <div className="row">
      <Button look="primary" type="submit" busy={isBusy}>{t("common.save")}</Button>
      <Button onClick={onCancel}>{t("common.cancel")}</Button>
    </div>
  );
}

function Form({ onSave, children }: { onSave: () => void; children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return <form className="column" onSubmit={submit} noValidate>{children}</form>;
}

/** The text as a number; null if it isn't one. Many languages write a comma for the point. */
function numberOf(text: string): number | null {
  const value = Number(text.trim().replace(",", "."));
  return text.trim() === "" || !Number.isFinite(value) ? null : value;
}

export function NumberControl({ setting, set, isBusy }: ControlProps) {
  const value = typeof setting.value === "number" ? setting.value : 0;
  const isBytes = unitOf(setting) === "bytes";
  const written = (unit: ByteUnit) => String(isBytes ? value / byteSize(unit) : value);
  const [unit, setUnit] = useState<ByteUnit>(() => byteUnitOf(value));
  const [text, setText] = useState(() => written(unit));
  useEffect(() => {
    const next = byteUnitOf(value);
    setUnit(next);
    setText(String(isBytes ? value / byteSize(next) : value));
  }, [value, isBytes]);
  const number = numberOf(text);
  const wanted = number === null ? null : Math.round(isBytes ? number * byteSize(unit) : number);
  const [least, most] = [limit(setting, "minimum") ?? 0, limit(setting, "maximum") ?? Number.MAX_SAFE_INTEGER];
  const isWrong = wanted === null || wanted < least || wanted > most || (!isBytes && number !== wanted);
  const isChanged = isWrong || wanted !== value;
  const cancel = () => {
    setUnit(byteUnitOf(value));
    setText(written(byteUnitOf(value)));
  };
  return (
    <Form onSave={() => void (!isWrong && isChanged && set(wanted))}>
      <div className="number-unit">
        <Field
          label={settingLabel(setting)} hint={settingHint(setting)} value={text} inputMode={isBytes ? "decimal" : "numeric"} autoComplete="off"
          error={isWrong ? t("settings.range", isBytes ? { least: valueText(setting, least), most: valueText(setting, most) } : { least, most }) : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        {isBytes && (
          <Select
            label={t("settings.unit")} value={unit} options={byteUnits.map((name) => ({ value: name, label: t(`unit.${name}`) }))} onChange={setUnit}
          />
        )}
        {unitOf(setting) === "days" && <span className="number-word">{t("unit.days")}</span>}
      </div>
      {isChanged && <Buttons isBusy={isBusy} onCancel={cancel} />}
    </Form>
  );
}

/** Longer texts have several lines, in characters. */
const LINE = 200;

export function TextControl({ setting, set, isBusy }: ControlProps) {
  // While nobody has set one, the text of invitations is this page's own, in the user's language.
  const inviteText = useInviteText();
  const value = setting.key === "invite.text" ? inviteText : typeof setting.value === "string" ? setting.value : "";
  const [text, setText] = useState(value);
  const former = useRef(value);
  // Another value is shown unless the user has begun to change this one.
  useEffect(() => {
    const before = former.current;
    former.current = value;
    setText((now) => (now === before ? value : now));
  }, [value]);
  const longest = limit(setting, "maxLength");
  const shared = { label: settingLabel(setting), hint: settingHint(setting), value: text, ...(longest === undefined ? {} : { maxLength: longest }) };
  return (
    <Form onSave={() => void (text !== value && set(text))}>
      {longest !== undefined && longest > LINE
        ? <TextField {...shared} rows={8} onChange={(event) => setText(event.target.value)} />
        : <Field {...shared} autoComplete="off" onChange={(event) => setText(event.target.value)} />}
      {text !== value && <Buttons isBusy={isBusy} onCancel={() => setText(value)} />}
    </Form>
  );
}

/** Words of a list, one by one, such as the endings of files. */
export function WordsControl({ setting, set, isBusy }: ControlProps) {
  const [text, setText] = useState("");
  const words = strings(setting.value);
  const items = setting.limits?.["items"] as { [name: string]: Json } | undefined;
  const pattern = typeof items?.["pattern"] === "string" ? new RegExp(items["pattern"], "u") : null;
  // An ending may be written with its dot.
  const wanted = text.trim().replace(/^\.+(?=.)/, "").toLowerCase();
  const isWrong = wanted !== "" && pattern !== null && !pattern.test(wanted);
  const add = () => {
    if (wanted === "" || isWrong) return;
    void (words.includes(wanted) ? Promise.resolve(true) : set([...words, wanted])).then((isDone) => isDone && setText(""));
  };
  return (
    <>
      <ul className="chips" aria-label={settingLabel(setting)}>
        {words.map((word) => (
          <li key={word} className="chip word-chip">
            <code dir="ltr">{word}</code>
            <IconButton small icon="close" label={t("settings.word.remove", { name: isolatedName(word) })} disabled={isBusy} onClick={() => void set(words.filter((one) => one !== word))} />
          </li>
        ))}
      </ul>
      <Form onSave={add}>
        <div className="number-unit">
          <Field
            label={t("settings.word.new")} value={text} dir="ltr" autoComplete="off" spellCheck={false} autoCapitalize="none"
            error={isWrong ? t("settings.word.wrong") : undefined} onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" icon="add" busy={isBusy} disabled={wanted === "" || isWrong}>{t("nearby.add")}</Button>
        </div>
      </Form>
    </>
  );
}
