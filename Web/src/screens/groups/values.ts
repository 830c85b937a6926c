// Limits of a group, and how many of the last messages a new member sees.
import { t } from "../../text/t";

/** The longest texts that `group.create` and `group.update` accept, in characters. */
export const LONGEST_NAME = 128;
export const LONGEST_DESCRIPTION = 512;

/** Usual choices; the contract allows up to 100,000. */
const usual: readonly number[] = [0, 20, 100, 1000, 10_000];

/** The choices, with the one that counts among them. */
export const histories = (now: number): number[] => [...new Set([...usual, now])].sort((a, b) => a - b);

export const historyText = (count: number): string => (count === 0 ? t("group.history.none") : t("group.history.last", { count }));
