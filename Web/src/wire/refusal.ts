import type { HintCode, Reason } from "../contract/codes";
import type { Json, Named } from "../contract/types";

/** Kinds of refusals: those of the contract, and those of the gateway and of the page itself. */
export type Kind = Reason | "away" | "logged_out" | "offline_page" | "file_changed" | "odd_name";

/** An error of the contract or of the gateway, as a method answers it. */
export interface WireError {
  code: number;
  message: string;
  data?: {
    kind?: Kind;
    retryable?: boolean;
    hint?: HintCode;
    parameters?: Record<string, Json>;
    field?: string;
    candidates?: Named[];
    seconds?: number;
  };
}

/** A request that was refused or did not come to an answer. `message` is the daemon's English, for details. */
export class Refused extends Error {
  readonly kind: Kind;
  readonly retryable: boolean;
  readonly hint: HintCode | undefined;
  readonly parameters: Record<string, Json>;
  readonly field: string | undefined;
  readonly candidates: Named[];

  constructor(error: WireError) {
    super(error.message);
    this.name = "Refused";
    this.kind = error.data?.kind ?? "internal";
    this.retryable = error.data?.retryable ?? false;
    this.hint = error.data?.hint;
    this.parameters = error.data?.parameters ?? {};
    this.field = error.data?.field;
    this.candidates = error.data?.candidates ?? [];
  }
}

/** The daemon or the gateway is not there: nothing is known about what became of the request. */
export const isAway = (error: unknown): boolean =>
  error instanceof Refused && (error.kind === "away" || error.kind === "offline_page");

/** Any error as a Refused, so that screens have one kind to word. */
export const asRefused = (error: unknown): Refused =>
  error instanceof Refused ? error : new Refused({ code: 0, message: error instanceof Error ? error.message : String(error) });
