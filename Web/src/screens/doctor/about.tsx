// How the daemon is, its interface, and whose work is in the page.
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import type { Result } from "../../contract/methods";
import type { Json } from "../../contract/types";
import { Button } from "../../parts/button";
import { Logo } from "../../parts/logo";
import { Pane } from "../../parts/pane";
import { saveFile } from "../../parts/saveFile";
import { Note, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { duration, listed, size } from "../../text/format";
import { visibleLine } from "../../text/safe";
import { t } from "../../text/t";
import { call, callAll } from "../../wire/rpc";

/** How often the state is read while it is looked at, in ms. */
const STEP = 5000;

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return <div className="fact"><dt>{name}</dt><dd className="wrap">{children}</dd></div>;
}

function State({ status }: { status: Result<"system.status"> }) {
  const { uptime, listen, interfaces, peers, sessions, queued, transfers, databaseBytes, putOff } = status;
  return (
    <>
      {putOff.length > 0 && <Note look="danger">{t("about.putOff")}</Note>}
      <dl className="facts facts-wide">
        <Fact name={t("about.uptime")}>{duration(uptime / 1000)}</Fact>
        <Fact name={t("about.database")}>{size(databaseBytes)}</Fact>
        <Fact name={t("about.listen")}>{listen.length === 0 ? t("about.nothing") : <span dir="ltr">{listed(listen.map(visibleLine))}</span>}</Fact>
        <Fact name={t("about.interfaces")}>{interfaces.length === 0 ? t("about.nothing") : listed(interfaces.map(visibleLine))}</Fact>
        <Fact name={t("about.peers")}>{peers.toLocaleString()}</Fact>
        <Fact name={t("about.sessions")}>{sessions.toLocaleString()}</Fact>
        <Fact name={t("about.queued")}>{queued.toLocaleString()}</Fact>
        <Fact name={t("about.transfers")}>{transfers.toLocaleString()}</Fact>
      </dl>
    </>
  );
}

const versionOf = (schema: Json): string => {
  const info = typeof schema === "object" && schema !== null && !Array.isArray(schema) ? schema["info"] : undefined;
  const version = typeof info === "object" && info !== null && !Array.isArray(info) ? info["version"] : undefined;
  return typeof version === "string" ? version : "";
};

export default function About() {
  const [schema, setSchema] = useState<Json>(null);
  const [status, setStatus] = useState<Result<"system.status"> | null>(null);
  const task = useTask();
  const { run } = task;
  useEffect(() => {
    void run(async () => {
      const [described, state] = await callAll({ method: "system.schema" }, { method: "system.status" });
      if (described.result !== undefined) setSchema(described.result);
      if (state.result !== undefined) setStatus(state.result);
    });
    // What fails once is read again: the banner says if the daemon is away.
    const timer = setInterval(() => call("system.status").then(setStatus, () => undefined), STEP);
    return () => clearInterval(timer);
  }, [run]);
  return (
    <Pane title={t("about.title")} backTo="settings">
      <div className="page column">
        <div className="profile-head">
          <Logo />
          <p className="profile-name">{t("welcome.title")}</p>
          {versionOf(schema) !== "" && <p className="small quiet">{t("about.version", { version: visibleLine(versionOf(schema)) })}</p>}
          <p>{t("welcome.lead")}</p>
        </div>
        <section className="section" aria-labelledby="about-state">
          <h2 id="about-state">{t("about.state")}</h2>
          {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
          {status !== null ? <State status={status} /> : task.error === null && <Spinner />}
        </section>
        <section className="section" aria-labelledby="about-schema">
          <h2 id="about-schema">{t("about.schema")}</h2>
          <p className="small quiet">{t("about.schema.more")}</p>
          <div className="row"><Button icon="download" disabled={schema === null} onClick={() => saveFile(new Blob([JSON.stringify(schema, null, 2)], { type: "application/json" }), "kibo-openrpc.json")}>{t("about.schema.save")}</Button></div>
        </section>
        <section className="section" aria-labelledby="about-licences">
          <h2 id="about-licences">{t("about.licences")}</h2>
          <p className="small quiet">{t("about.licences.more")}</p>
          <p><a href="/assets/licences.txt" target="_blank" rel="noreferrer noopener">{t("about.licences.read")}</a></p>
        </section>
      </div>
    </Pane>
  );
}
