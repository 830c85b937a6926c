// Imports a vCard file into the address book, and shows the result.
import { useRef, useState } from "react";
import type { AddressBookImport } from "../../contract/types";
import { Button } from "../../parts/button";
import { countryLabel, useCountries } from "../../parts/countries";
import { Dialog } from "../../parts/dialog";
import { Check } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { Select } from "../../parts/select";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { size } from "../../text/format";
import { isolatedName, visibleName } from "../../text/safe";
import { currentLanguage, t } from "../../text/t";
import { call } from "../../wire/rpc";
import { upload } from "../../wire/upload";

const counted = ["added", "updated", "unchanged", "removed", "skipped", "numbersWithoutCountry"] as const;

function Outcome({ done }: { done: AddressBookImport }) {
  const country = done.country === null ? null : new Intl.DisplayNames(currentLanguage(), { type: "region" }).of(done.country) ?? done.country;
  return (
    <div className="column" role="status">
      <ul className="outcome">
        {counted.filter((name, index) => index === 0 || done[name] > 0).map((name) => <li key={name}>{t(`book.import.${name}`, { count: done[name] })}</li>)}
      </ul>
      {country !== null && done.countryFrom !== "parameter" && <p className="small quiet">{t("book.import.country", { country })}</p>}
      {done.problemCount > 0 && (
        <details className="more">
          <summary>{t("book.import.problems", { count: done.problemCount })}</summary>
          <ul className="problems">
            {done.problems.map((problem, index) => (
              <li key={index}>
                <bdi className="wrap">{t("book.import.line", { line: problem.line })}{problem.name !== "" && `: ${visibleName(problem.name)}`}</bdi>
                {problem.problem !== null && <span className="small quiet wrap">{t(`card.${problem.problem}`, { detail: isolatedName(problem.detail ?? "") })}</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

export function ImportDialog({ dropped, onClose }: { dropped: File | null; onClose: () => void }) {
  const picker = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState(dropped);
  const [country, setCountry] = useState("");
  const [replace, setReplace] = useState(false);
  const [done, setDone] = useState<AddressBookImport | null>(null);
  const { countries, usual } = useCountries();
  const here = countries.find((one) => one.region === usual);
  const task = useTask();
  const take = () => void task.run(async () => {
    if (file === null) return;
    const id = await upload(file, { signal: new AbortController().signal, sent: () => undefined }, "addressBook");
    setDone(await call("addressBook.import", { path: `upload:${id}`, replace, ...(country === "" ? {} : { defaultCountry: country }) }));
  });
  if (done !== null) {
    return <Dialog title={t("book.import.done")} onClose={onClose} foot={<Button look="primary" autoFocus onClick={onClose}>{t("common.close")}</Button>}><Outcome done={done} /></Dialog>;
  }
  return (
    <Dialog
      title={t("book.import")} onClose={onClose} onSubmit={take}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look="primary" type="submit" busy={task.busy} disabled={file === null}>{t("book.import.do")}</Button>
      </>}
    >
      <p className="small quiet">{t("book.import.more")}</p>
      <div
        className="drop-field" onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          setFile(event.dataTransfer.files[0] ?? file);
        }}
      >
        <Icon name="upload" size={24} />
        <span className="wrap">{file === null ? t("book.import.drop") : <><bdi>{visibleName(file.name)}</bdi> <span className="quiet numbers">{size(file.size)}</span></>}</span>
        <Button onClick={() => picker.current?.click()}>{t(file === null ? "book.import.choose" : "book.import.another")}</Button>
        <input
          ref={picker} type="file" accept=".vcf,.vcard,text/vcard,text/x-vcard" hidden
          onChange={(event) => {
            setFile(event.target.files?.[0] ?? file);
            event.target.value = "";
          }}
        />
      </div>
      <Select
        label={t("book.import.from")} hint={t("book.import.from.hint")} value={country} onChange={setCountry}
        options={[{ value: "", label: here === undefined ? t("profile.country.none") : t("book.import.usual", { country: countryLabel(here) }) }, ...countries.map((one) => ({ value: one.region, label: countryLabel(one) }))]}
      />
      <Check checked={replace} onChange={setReplace}>{t("book.import.replace")}</Check>
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </Dialog>
  );
}
