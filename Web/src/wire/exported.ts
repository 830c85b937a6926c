// All messages of a conversation, as the daemon writes them for GET /export/ID: one a line.
import type { Message } from "../contract/types";
import { loggedOut } from "./link";
import { Refused } from "./refusal";
import type { WireError } from "./refusal";

const offline = (): Refused => new Refused({ code: 0, message: "The web service does not answer.", data: { kind: "offline_page", retryable: true } });

/** Waits for something from the network. If the connection breaks, that is a refusal like any other; if the user has cancelled, it isn't. */
const coming = <T>(what: Promise<T>, signal: AbortSignal): Promise<T> => what.catch((error: unknown) => {
  throw signal.aborted ? error : offline();
});

/** The messages in the order of the history, some at once, with the share of all bytes that have come. */
export async function* exported(conversation: string, signal: AbortSignal): AsyncGenerator<{ messages: Message[]; share: number }> {
  const response = await coming(fetch(`/export/${conversation}`, { signal, cache: "no-store" }), signal);
  if (response.status === 401) loggedOut();
  if (!response.ok || response.body === null) {
    const answer = (await response.json().catch(() => ({}))) as { error?: WireError };
    throw new Refused(answer.error ?? { code: response.status, message: `The web service answered ${response.status}.` });
  }
  const whole = Number(response.headers.get("Content-Length")) || 1;
  const bytes = response.body.getReader();
  const decoder = new TextDecoder();
  let came = 0;
  let rest = "";
  for (;;) {
    const piece = await coming(bytes.read(), signal);
    rest += piece.done ? decoder.decode() : decoder.decode(piece.value, { stream: true });
    came += piece.value?.length ?? 0;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield { messages: lines.map((line) => JSON.parse(line) as Message), share: came / whole };
    if (piece.done) break;
  }
  // Each line has its end: a last one without it has been cut.
  if (rest !== "") throw offline();
}
