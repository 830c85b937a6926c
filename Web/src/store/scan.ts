// Finds devices with LocalSend that can't be heard: Kibo asks each address of the network, or one.
import { Store } from "../base/store";
import type { Result } from "../contract/methods";
import { wording } from "../text/errors";
import { isKey, t } from "../text/t";
import { Refused, asRefused } from "../wire/refusal";
import { call } from "../wire/rpc";

interface Scan {
  isRunning: boolean;
  /** How the last one ended; null if none has, or it was refused. */
  told: Result<"guest.scan"> | null;
  problem: Refused | null;
}

const idle: Scan = { isRunning: false, told: null, problem: null };

/** The scan of the network that this page has begun. It goes on while the user is elsewhere in the page. */
export const scan = new Store<Scan>(idle);

/** Asks each address of the network, which takes up to a minute. Devices that answer are reported by events meanwhile. */
export async function scanNetwork(): Promise<void> {
  if (scan.get().isRunning) return;
  scan.set({ ...idle, isRunning: true });
  try {
    scan.set({ ...idle, told: await call("guest.scan") });
  } catch (error) {
    scan.set({ ...idle, problem: asRefused(error) });
  }
}

/** What the last scan has found is of no interest any more. */
export const forgetScan = (): void => scan.update((now) => (now.isRunning ? now : idle));

/** Asks one address. Throws Refused: `not_found` if no device answers there. */
export async function scanAddress(address: string): Promise<void> {
  const { found } = await call("guest.scan", { address });
  if (found === 0) throw new Refused({ code: 0, message: "No device answers there.", data: { kind: "not_found" } });
}

/** Why a scan was refused, or that nobody answers at an address. */
export function scanText(problem: Refused): string {
  const key = `scan.problem.${problem.kind}`;
  return isKey(key) ? t(key) : wording(problem);
}
