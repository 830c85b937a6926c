// Before there is an open account there is nothing but the way to one.
import { Fragment } from "react";
import { useStore, useWhole } from "../base/store";
import { later } from "../parts/later";
import { Logo, heading } from "../parts/logo";
import { self } from "../store/account";
import { laterWords, spoken } from "../text/language";
import { t } from "../text/t";
import { link } from "../wire/link";
import { Banner } from "./banner";
import { Shell } from "./shell";

/** What index.html shows before any script runs, and until it is known what comes. */
const Starting = () => <div role="status">{heading}<Logo /><span className="hidden-words">{t("common.loading")}</span></div>;

const waiting = { waiting: <main className="full"><Starting /></main> };
const Welcome = later(() => Promise.all([import("./sides/people"), laterWords()]).then(([side]) => side.Welcome), waiting);
const Unlock = later(() => import("./sides/people").then((side) => side.Unlock), waiting);

export function Gate() {
  const phase = useStore(self, (value) => value.phase);
  const way = useWhole(link);
  const language = useWhole(spoken);
  if (phase === "starting") {
    return (
      <main className="full">
        {way === "starting" || way === "open" ? <Starting /> : <div className="full-card">{heading}<Banner isFirst /></div>}
      </main>
    );
  }
  return (
    <Fragment key={language}>
      {phase === "none" ? <Welcome /> : phase === "locked" ? <Unlock /> : <Shell />}
    </Fragment>
  );
}
