// Ways to devices that don't appear by themselves, because the network keeps devices from finding each other.
import { useEffect, useState } from "react";
import { useWhole } from "../../base/store";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Field } from "../../parts/field";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { forgetScan, scan, scanAddress, scanNetwork, scanText } from "../../store/scan";
import { t } from "../../text/t";

function AddressDialog({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const task = useTask();
  const address = typed.trim();
  const look = async () => {
    if (address !== "" && (await task.run(() => scanAddress(address)))) onClose();
  };
  return (
    <Dialog
      title={t("scan.address.title")} onClose={onClose} onSubmit={() => void look()}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look="primary" type="submit" icon="search" busy={task.busy} disabled={address === ""}>{t("address.look")}</Button>
      </>}
    >
      <Field
        label={t("scan.address.field")} hint={t("scan.address.hint")} error={task.refused === null ? undefined : scanText(task.refused)} value={typed} dir="ltr"
        inputMode="decimal" spellCheck={false} autoCapitalize="none" autoComplete="off" onChange={(event) => setTyped(event.target.value)}
      />
    </Dialog>
  );
}

export function Scan() {
  const { isRunning, told, problem } = useWhole(scan);
  const [isAsking, setAsking] = useState(false);
  // Who comes back later wants to know who is here now.
  useEffect(forgetScan, []);
  return (
    <>
      <div className="row wrapping">
        <Button look="quiet" icon="search" busy={isRunning} onClick={() => void scanNetwork()}>{t(isRunning ? "scan.busy" : "scan.start")}</Button>
        <Button look="quiet" disabled={isRunning} onClick={() => setAsking(true)}>{t("scan.address")}</Button>
      </div>
      <div role="status">
        {told !== null && <p className="small quiet">{told.found === 0 ? t("scan.none", { count: told.asked }) : t("scan.found", { count: told.found })}</p>}
      </div>
      {problem !== null && <Note look="danger" alert>{scanText(problem)}</Note>}
      {isAsking && <AddressDialog onClose={() => setAsking(false)} />}
    </>
  );
}
