import { Store } from "../base/store";

/** What of a new account's profile was refused, in words, until the user has seen it. */
export const profileProblem = new Store<string | null>(null);
