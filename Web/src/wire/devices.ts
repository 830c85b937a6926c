// Microphones and cameras.

/** Why none can be used: the user or the system says no, there is none, or another program has it. */
export type DeviceProblem = "denied" | "missing" | "busy";

export function problemOf(error: unknown): DeviceProblem {
  const name = error instanceof DOMException ? error.name : "";
  return name === "NotAllowedError" || name === "SecurityError" ? "denied" : name === "NotFoundError" || name === "OverconstrainedError" ? "missing" : "busy";
}
