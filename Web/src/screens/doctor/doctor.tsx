// What may keep people from reaching each other, and what to do about it.
import { useEffect } from "react";
import { Store, useWhole } from "../../base/store";
import type { DoctorCheck } from "../../contract/types";
import { Button } from "../../parts/button";
import { CopyButton } from "../../parts/ownLink";
import { Pane } from "../../parts/pane";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { clockTime } from "../../text/format";
import { t } from "../../text/t";
import { link } from "../../wire/link";
import { call } from "../../wire/rpc";
import { CheckRow, Without } from "./without";
import { adviceText, checkName, commandsOf, findingText, reportText } from "./words";

interface Report {
  checks: readonly DoctorCheck[];
  at: number;
}

/** The last examination, kept while the page lives. */
const report = new Store<Report | null>(null);

async function examine(): Promise<void> {
  const { checks } = await call("system.doctor");
  report.set({ checks, at: Date.now() });
}

function Check({ check }: { check: DoctorCheck }) {
  return (
    <CheckRow ok={check.ok} advised={check.advice.length > 0} name={checkName(check)}>
      {check.findings.map(({ code, parameters }, index) => <p key={index} className="wrap" dir="auto">{findingText(code, parameters)}</p>)}
      {check.advice.map(({ code, parameters }, index) => {
        const commands = commandsOf(parameters);
        return (
          <Note key={index} look={check.ok ? "info" : "warn"}>
            <p dir="auto">{adviceText(code, parameters)}</p>
            {commands !== "" && <pre className="commands" dir="ltr">{commands}</pre>}
            {commands !== "" && <CopyButton text={commands} label={t("doctor.copyCommands")} />}
          </Note>
        );
      })}
    </CheckRow>
  );
}

const Checks = ({ checks, label, isBusy }: { checks: readonly DoctorCheck[]; label: string; isBusy: boolean }) => (
  <ul className="checks" aria-label={label} aria-busy={isBusy}>{checks.map((check, index) => <Check key={`${check.name} ${index}`} check={check} />)}</ul>
);

export default function Doctor() {
  const isOpen = useWhole(link) === "open";
  const now = useWhole(report);
  const task = useTask();
  const { run } = task;
  useEffect(() => {
    if (isOpen && report.get() === null) void run(examine);
  }, [run, isOpen]);
  const wrong = now?.checks.filter(({ ok }) => !ok).length ?? 0;
  // What is fine and needs no advice is there for those who want to see it.
  const isQuiet = ({ ok, advice }: DoctorCheck) => ok && advice.length === 0;
  const told = (now?.checks ?? []).filter((check) => !isQuiet(check)).sort((a, b) => Number(a.ok) - Number(b.ok));
  const quiet = (now?.checks ?? []).filter(isQuiet);
  if (!isOpen) return <Without />;
  return (
    <Pane title={t("doctor.title")} backTo="settings">
      <div className="page column">
        <p className="quiet">{t("doctor.more")}</p>
        <div role="status" className="column">
          {task.busy && <Note>{t("doctor.busy")}</Note>}
          {!task.busy && now !== null && <p className="doctor-sum">{wrong > 0 ? t("doctor.someWrong", { count: wrong }) : told.length > 0 ? t("doctor.someAdvised", { count: told.length }) : t("doctor.allFine")} <span className="small quiet">{t("doctor.at", { time: clockTime(now.at) })}</span></p>}
        </div>
        {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
        <div className="row wrapping">
          <Button icon="retry" busy={task.busy} onClick={() => void run(examine)}>{t("doctor.again")}</Button>
          {now !== null && <CopyButton text={reportText(now.checks)} label={t("doctor.copy")} />}
        </div>
        {told.length > 0 && <Checks checks={told} label={t("doctor.title")} isBusy={task.busy} />}
        {quiet.length > 0 && (
          <details className="fold checks-fine">
            <summary>{t("doctor.quiet", { count: quiet.length })}</summary>
            <Checks checks={quiet} label={t("doctor.fine")} isBusy={task.busy} />
          </details>
        )}
      </div>
    </Pane>
  );
}
