// Something that a button began: whether it is under way, and why it was refused.
import { useCallback, useEffect, useRef, useState } from "react";
import { wording } from "../text/errors";
import { asRefused } from "../wire/refusal";
import type { Refused } from "../wire/refusal";

export interface Task {
  busy: boolean;
  /** Why the last try was refused, in words; null if it was not. */
  error: string | null;
  refused: Refused | null;
  /** Begins it, unless it is under way. The result says whether it was done. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
  clear: () => void;
}

export function useTask(): Task {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const state = useRef({ isHere: true, isBusy: false });
  useEffect(() => {
    const { current } = state;
    current.isHere = true;
    return () => {
      current.isHere = false;
    };
  }, []);
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    if (state.current.isBusy) return false;
    state.current.isBusy = true;
    setBusy(true);
    setRefused(null);
    let problem: Refused | null = null;
    try {
      await work();
    } catch (error) {
      problem = asRefused(error);
    }
    state.current.isBusy = false;
    if (state.current.isHere) {
      setBusy(false);
      setRefused(problem);
    }
    return problem === null;
  }, []);
  const clear = useCallback(() => setRefused(null), []);
  return { busy, error: refused === null ? null : wording(refused), refused, run, clear };
}
