// What starts the daemon that is away: a button, or a command to copy.
import { useEffect, useState } from "react";
import { Button } from "../parts/button";
import { CopyButton } from "../parts/ownLink";
import { t } from "../text/t";
import { startDaemon, wayToStart } from "../wire/daemon";
import type { Way } from "../wire/daemon";

/** How long a daemon that was started has to answer before it is said that it doesn't, in ms. */
const PATIENCE = 15_000;

/** It stands beside what says that Kibo isn't running, and goes with it. */
export default function StartKibo() {
  const [way, setWay] = useState<Way | null>(null);
  const [state, setState] = useState<"asked" | "begun" | "failed">("asked");
  useEffect(() => void wayToStart().then(setWay, () => undefined), []);
  useEffect(() => {
    if (state !== "begun") return;
    const timer = setTimeout(() => setState("failed"), PATIENCE);
    return () => clearTimeout(timer);
  }, [state]);
  if (way === null) return null;
  const command = way.command !== null && <><code className="command" dir="ltr">{way.command}</code><CopyButton text={way.command} label={t("start.copy")} /></>;
  if (!way.startable) return <>{way.command === null ? t("start.asBefore") : <>{t("start.type")} {command}</>}</>;
  if (state === "begun") return <span>{t("start.begun")}</span>;
  const start = () => {
    setState("begun");
    startDaemon().then(({ started }) => setState((now) => (started ? now : "failed")), () => setState("failed"));
  };
  return (
    <>
      {state === "failed" && <>{t("start.failed")} {command}</>}
      <Button look="primary" onClick={start}>{t("start.button")}</Button>
    </>
  );
}
