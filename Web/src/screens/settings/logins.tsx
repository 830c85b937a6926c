// The browsers that are logged in. Each login can be ended, this one too.
import { useCallback, useEffect, useState } from "react";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { Note, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { fullTime, relativeTime } from "../../text/format";
import { visibleLine } from "../../text/safe";
import { t } from "../../text/t";
import { loggedOut } from "../../wire/link";
import { logOut, logins } from "../../wire/rpc";
import type { Login } from "../../wire/rpc";

/** Which browser, and on what, by the names that browsers give themselves. The first that fits counts. */
const browsers: ReadonlyArray<readonly [RegExp, string]> = [[/Firefox\//, "Firefox"], [/Edg\//, "Edge"], [/OPR\//, "Opera"], [/Chrom(e|ium)\//, "Chromium"], [/Safari\//, "Safari"]];
const systems: ReadonlyArray<readonly [RegExp, string]> = [[/Android/, "Android"], [/Windows/, "Windows"], [/Mac OS X/, "macOS"], [/Linux/, "Linux"]];

function agentName(agent: string): string {
  const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  return browser === undefined ? visibleLine(agent) || t("logins.unknown") : [browser, system].filter((one) => one !== undefined).join(" · ");
}

export function Logins() {
  const [list, setList] = useState<readonly Login[] | null>(null);
  const [asked, setAsked] = useState<Login | "all" | null>(null);
  const task = useTask();
  const { run } = task;
  const load = useCallback(() => run(async () => setList(await logins())), [run]);
  useEffect(() => void load(), [load]);

  const end = async (login: Login | "all") => {
    await logOut(login === "all" ? "all" : login.id);
    if (login === "all" || login.current) loggedOut();
    else setList(await logins());
  };
  const ordered = [...(list ?? [])].sort((a, b) => Number(b.current) - Number(a.current) || b.usedAt - a.usedAt);
  return (
    <section className="section" aria-labelledby="browser-logins">
      <h2 id="browser-logins">{t("logins.title")}</h2>
      <p className="small quiet">{t("logins.more")}</p>
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      {list === null && task.error === null && <Spinner />}
      <ul className="people" aria-label={t("logins.title")}>
        {ordered.map((login) => (
          <li key={login.id} className="person">
            <span className="row-icon"><Icon name="open" /></span>
            <span className="row-body">
              <span className="row-title cut" title={visibleLine(login.agent)}>{agentName(login.agent)}{login.current && ` · ${t("logins.current")}`}</span>
              <span className="row-sub wrap" title={fullTime(login.createdAt)}>{t("logins.used", { time: relativeTime(login.usedAt), since: relativeTime(login.createdAt) })}</span>
            </span>
            <Button
              busy={task.busy} aria-label={login.current ? t("logins.out") : t("logins.end.name", { name: agentName(login.agent), time: relativeTime(login.usedAt) })}
              onClick={() => (login.current ? setAsked(login) : void run(() => end(login)))}
            >
              {login.current ? t("logins.out") : t("logins.end")}
            </Button>
          </li>
        ))}
      </ul>
      {ordered.length > 1 && <div className="row"><Button onClick={() => setAsked("all")}>{t("logins.all")}</Button></div>}
      {asked !== null && (
        <Confirm title={asked === "all" ? t("logins.all.title") : t("logins.out.title")} action={asked === "all" ? t("logins.all") : t("logins.out")} onConfirm={() => end(asked)} onClose={() => setAsked(null)}>
          <p>{t("logins.out.more")}</p>
        </Confirm>
      )}
    </section>
  );
}
