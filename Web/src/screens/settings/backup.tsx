// Whether the account can come back after the loss of its disk. Keys don't pass the browser, so the commands stand here.
import { useEffect, useState } from "react";
import type { BackupStatus } from "../../contract/types";
import { CopyButton } from "../../parts/ownLink";
import { Note, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { relativeTime, size } from "../../text/format";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";

/** A command for a terminal, below what it is for. */
const Command = ({ does, line }: { does: string; line: string }) => (
  <div className="column-tight">
    <span className="small">{does}</span>
    <div className="row wrapping">
      <code className="command" dir="ltr">{line}</code>
      <CopyButton text={line} label={t("start.copy")} />
    </div>
  </div>
);

function Last({ last, due }: BackupStatus) {
  if (last === null) return <Note look="warn">{t("backup.none")}</Note>;
  return (
    <>
      <p>{t("backup.last", { time: relativeTime(last.madeAt), name: isolatedName(last.name), size: size(last.bytes) })}</p>
      <p className="small quiet">{last.takesPassphrase && t("backup.passphrase")} {last.takesCode && t("backup.code")}</p>
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
          <Command does={t("backup.make")} line={`kibo backup ${t("backup.file")}`} />
          <Command does={t("backup.daily")} line="systemctl --user enable --now kibo-backup.timer" />
          <Command does={status.codeShownAt === null ? t("backup.never") : t("backup.shown", { time: relativeTime(status.codeShownAt) })} line="kibo recovery show" />
          <Command does={t("backup.back")} line={`kibo restore ${t("backup.file")}`} />
        </>
      )}
    </section>
  );
}
