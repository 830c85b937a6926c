// Before there is an open account there is nothing but the way to one.
import { Suspense, lazy } from "react";
import { Logo } from "../parts/logo";
import { self } from "../store/account";
import { useStore, useWhole } from "../store/store";
import { spoken } from "../text/language";
import { t } from "../text/t";
import { link } from "../wire/link";
import { Banner } from "./banner";
import { Shell } from "./shell";

const Welcome = lazy(() => import("./sides/people").then((side) => ({ default: side.Welcome })));
const Unlock = lazy(() => import("./sides/people").then((side) => ({ default: side.Unlock })));

/** What index.html shows before any script runs, and until it is known what comes. */
const Starting = () => <div role="status"><Logo /><span className="hidden-words">{t("common.loading")}</span></div>;

export function Gate() {
  const phase = useStore(self, (value) => value.phase);
  const way = useWhole(link);
  const language = useWhole(spoken);
  if (phase === "starting") {
    return (
      <main className="full">
        {way === "starting" || way === "open" ? <Starting /> : <div className="full-card"><Banner /></div>}
      </main>
    );
  }
  return (
    <Suspense key={language} fallback={<main className="full"><Starting /></main>}>
      {phase === "none" ? <Welcome /> : phase === "locked" ? <Unlock /> : <Shell />}
    </Suspense>
  );
}
