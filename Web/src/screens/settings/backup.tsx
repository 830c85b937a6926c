// Whether the account can come back after the loss of its disk. Keys don't pass the browser, so the commands stand here.
import { useEffect, useState } from "react";
import type { BackupStatus } from "../../contract/types";
import { CopyButton } from "../../parts/ownLink";
import { Note, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { fullTime, relativeTime, size } from "../../text/format";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import type { Key } from "../../text/t";
import { call } from "../../wire/rpc";

/** What is typed in a terminal. */
const commands = {
  make: "kibo backup FILE", daily: "systemctl --user enable --now kibo-backup.timer", code: "kibo recovery show", back: "kibo restore FILE",
};

const Command = ({ does }: { does: keyof typeof commands }) => (
  <div className="column-tight">
    <span className="small">{t(`backup.${does}`)}</span>
    <div className="row wrapping">
      <code className="command" dir="ltr">{commands[does]}</code>
      <CopyButton text={commands[does]} label={t("start.copy")} />
    </div>
  </div>
);

function Last({ last, due }: BackupStatus) {
  if (last === null) return <Note look="warn">{t("backup.none")}</Note>;
  const opens: Key = !last.takesCode ? "backup.opens.passphrase" : last.takesPassphrase ? "backup.opens.both" : "backup.opens.code";
  return (
    <>
      <p title={fullTime(last.madeAt)}>{t("backup.last", { time: relativeTime(last.madeAt), name: isolatedName(last.name), size: size(last.bytes) })}</p>
      <p className="small quiet">{t(opens)}</p>
      {due && <Note look="warn">{t("backup.due")}</Note>}
    </>
  );
}

export function Backup() {
  const [status, setStatus] = useState<BackupStatus | null>(null);
  const { run, error } = useTask();
  useEffect(() => void run(async () => setStatus(await call("backup.status"))), [run]);
  return (
    <section className="section" aria-labelledby="account-backup">
      <h2 id="account-backup">{t("backup.title")}</h2>
      {error !== null && <Note look="danger" alert>{error}</Note>}
      {status === null ? error === null && <Spinner /> : (
        <>
          <Last {...status} />
          <p className="small quiet">{t("backup.how")}</p>
          <Command does="make" />
          <Command does="daily" />
          <p className="small quiet">{status.codeShownAt === null ? t("backup.never") : t("backup.shown", { time: relativeTime(status.codeShownAt) })}</p>
          <Command does="code" />
          <p className="small quiet">{t("backup.elsewhere")}</p>
          <Command does="back" />
        </>
      )}
    </section>
  );
}
