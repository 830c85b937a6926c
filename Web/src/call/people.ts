// The participants of a call, and those with which this window is to be connected.
import type { Call } from "../contract/types";

export type Participant = Call["participants"][number];

/** The letters of ids by the bits that they stand for: ids are compared as their bytes. */
const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
export function isSmaller(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, index) => letter !== b[index]);
  return at >= 0 && ALPHABET.indexOf(a[at] ?? "") < ALPHABET.indexOf(b[at] ?? "");
}

/** Whether a participant is in the call. In a group, the others may be the ones that say so. */
export const isIn = (call: Call, { state }: Participant): boolean => state === "joined" || state === "away" || (call.group && state === null);

/** Whether a connection with the device stays, once there is one: between two it is there while it rings. */
export const needsConnection = (call: Call, one: Participant): boolean => (call.group ? isIn(call, one) : one.state !== "ended");

/** Whether a connection can begin: the caller has a seat from the beginning. */
export const hasSeat = (call: Call, { state, generation }: Participant): boolean => generation > 0 && (state === "joined" || (!call.group && state === "calling"));

/** Returns the participants that are in the call, in the order in which they came. */
export const peopleOf = (call: Call): Participant[] =>
  call.participants.filter((one) => isIn(call, one)).sort((a, b) => (a.since ?? Infinity) - (b.since ?? Infinity) || (isSmaller(a.device, b.device) ? -1 : 1));

/** Returns, between two, the device of the other side that takes part, else the first of its devices. */
export const otherOf = (call: Call): Participant | undefined => peopleOf(call)[0] ?? call.participants[0];

/** Returns the participants where the call rings. */
export const rungAt = (call: Call): Participant[] => call.participants.filter(({ state }) => state === "ringing" || state === "waiting");

/** Returns the participant whose screen is shown, as one is shown at a time. */
export const showsScreen = (call: Call): Participant | undefined =>
  call.participants.filter((one) => isIn(call, one) && one.sends.includes("screen")).sort((a, b) => (isSmaller(a.device, b.device) ? -1 : 1))[0];
