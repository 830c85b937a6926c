// Before there is an open account there is nothing but the way to one.
import { Suspense, lazy } from "react";
import { Spinner } from "../parts/small";
import { self } from "../store/account";
import { useStore, useWhole } from "../store/store";
import { spoken } from "../text/language";
import { link } from "../wire/link";
import { Banner } from "./banner";
import { Shell } from "./shell";

const Welcome = lazy(() => import("./sides/people").then((side) => ({ default: side.Welcome })));
const Unlock = lazy(() => import("./sides/people").then((side) => ({ default: side.Unlock })));

export function Gate() {
  const phase = useStore(self, (value) => value.phase);
  const way = useWhole(link);
  const language = useWhole(spoken);
  if (phase === "starting") {
    return (
      <main className="full">
        {way === "starting" || way === "open" ? <Spinner /> : <div className="full-card"><Banner /></div>}
      </main>
    );
  }
  return (
    <Suspense key={language} fallback={<main className="full"><Spinner /></main>}>
      {phase === "none" ? <Welcome /> : phase === "locked" ? <Unlock /> : <Shell />}
    </Suspense>
  );
}
