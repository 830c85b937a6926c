// Which Kibo this is, its interface, and whose work is in the page.
import { useEffect, useState } from "react";
import type { Json } from "../../contract/types";
import { Button } from "../../parts/button";
import { Logo } from "../../parts/logo";
import { Pane } from "../../parts/pane";
import { saveFile } from "../../parts/saveFile";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { visibleLine } from "../../text/safe";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";

const versionOf = (schema: Json): string => {
  const info = typeof schema === "object" && schema !== null && !Array.isArray(schema) ? schema["info"] : undefined;
  const version = typeof info === "object" && info !== null && !Array.isArray(info) ? info["version"] : undefined;
  return typeof version === "string" ? version : "";
};

export default function About() {
  const [schema, setSchema] = useState<Json>(null);
  const { run, error } = useTask();
  useEffect(() => {
    void run(async () => setSchema(await call("system.schema")));
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
        {error !== null && <Note look="danger" alert>{error}</Note>}
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
