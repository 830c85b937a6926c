// Before there is an open account there is nothing but the way to one.
import { Suspense } from "react";
import { Spinner } from "../parts/small";
import { self } from "../store/account";
import { useStore, useWhole } from "../store/store";
import { link } from "../wire/link";
import { Banner } from "./banner";
import { Shell } from "./shell";

export function Gate() {
  const phase = useStore(self, (value) => value.phase);
  const way = useWhole(link);
  if (phase === "starting") {
    return (
      <main className="full">
        {way === "starting" || way === "open" ? <Spinner /> : <div className="full-card"><Banner /></div>}
      </main>
    );
  }
  return <Suspense fallback={<main className="full"><Spinner /></main>}><Shell /></Suspense>;
}
