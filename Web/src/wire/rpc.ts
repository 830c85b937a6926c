// Requests to the daemon, by POST. What writes in one conversation goes one after another.
import type { Method, Params, Result } from "../contract/methods";
import { Refused } from "./refusal";
import type { WireError } from "./refusal";
import { loggedOut, unreachable } from "./link";

type Answer<T> = { result: T; error?: undefined } | { result?: undefined; error: WireError };
interface Request<M extends Method> {
  method: M;
  params?: Params<M>;
}

/** Longest wait for room at the gateway (429), in seconds. */
const LONGEST_WAIT = 10;

/** What no page of another origin can send. */
const headers = { "Content-Type": "application/json", "X-Kibo": "1" };

export async function post<T>(path: string, body: unknown, tries = 5): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      cache: "no-store",
    });
  } catch {
    unreachable();
    throw new Refused({ code: 0, message: "The web service does not answer.", data: { kind: "offline_page", retryable: true } });
  }
  if (response.status === 429 && tries > 0) {
    const seconds = Math.min(Number(response.headers.get("Retry-After")) || 1, LONGEST_WAIT);
    await new Promise((done) => setTimeout(done, seconds * 1000));
    return post(path, body, tries - 1);
  }
  if (response.status === 401) loggedOut();
  const text = await response.text();
  let answer: unknown = null;
  try {
    answer = text === "" ? null : JSON.parse(text);
  } catch {
    // The error for anything but JSON is made below.
  }
  if (response.ok || Array.isArray(answer)) return answer as T;
  const error = (answer as { error?: WireError } | null)?.error;
  throw new Refused(error ?? { code: response.status, message: `The web service answered ${response.status}.` });
}

/** Calls a method and waits for its result. Throws Refused. */
export async function call<M extends Method>(method: M, params?: Params<M>): Promise<Result<M>> {
  const answer = await post<Answer<Result<M>>>("/rpc", { method, params: params ?? {} });
  if (answer.error !== undefined) throw new Refused(answer.error);
  return answer.result;
}

/** Says something as the page goes: nobody is there for the answer. */
export function lastWord<M extends Method>(method: M, params: Params<M>): void {
  void fetch("/rpc", { method: "POST", headers, body: JSON.stringify({ method, params }), cache: "no-store", keepalive: true }).catch(() => undefined);
}

type Results<L extends readonly Request<Method>[]> = { [I in keyof L]: Answer<Result<L[I]["method"]>> };

/** Calls several methods in one request: at most 50. Each has an answer of its own. */
export const callAll = <L extends readonly Request<Method>[]>(...requests: L): Promise<Results<L>> => post("/rpc", requests);

const queues = new Map<string, Promise<unknown>>();

/** Runs tasks with the same name one after another. One that fails doesn't hold up the next. */
export function inTurn<T>(name: string, task: () => Promise<T>): Promise<T> {
  const before = queues.get(name) ?? Promise.resolve();
  const mine = before.then(task, task);
  const end = mine.catch(() => undefined).then(() => {
    if (queues.get(name) === end) queues.delete(name);
  });
  queues.set(name, end);
  return mine;
}

/** Calls a method that changes a conversation: after those that were called for it before. */
export const callIn = <M extends Method>(conversation: string, method: M, params: Params<M>): Promise<Result<M>> =>
  inTurn(conversation, () => call(method, params));

/** The gateway's own: logging in with the token of a link, listing and ending logins. */
export interface Login {
  id: string;
  createdAt: number;
  usedAt: number;
  agent: string;
  current: boolean;
}

/** The gateway's answer to a login. The page may have moved to another port, because another program had the old one. */
export interface Welcomed {
  id: string;
  moved?: { from: number; to: number; at: number };
}

export const logIn = (token: string): Promise<Welcomed> => post("/login", { token });
export const logOut = (id?: string): Promise<{ ended: number }> => post("/logout", id === undefined ? {} : { id });

/** Asks the gateway itself for something. */
export async function ask<T>(path: string): Promise<T> {
  const response = await fetch(path, { cache: "no-store" });
  if (!response.ok) throw new Refused({ code: response.status, message: `The web service answered ${response.status}.` });
  return (await response.json()) as T;
}

export const logins = async (): Promise<Login[]> => (await ask<{ logins: Login[] }>("/login")).logins;
