import { Store } from "../base/store";
import type { Account } from "../contract/types";

/**
 * Own account and how far the page is. starting: nothing is known yet · none: there is no account · locked · ready
 */
export interface Self {
  phase: "starting" | "none" | "locked" | "ready";
  account: Account | null;
}

export const self = new Store<Self>({ phase: "starting", account: null });

/** Takes the account as an answer or event tells it. */
export function takeAccount(account: Account | null): void {
  self.set({ account, phase: account === null ? "none" : account.locked ? "locked" : "ready" });
}

export const ownId = (): string => self.get().account?.id ?? "";
