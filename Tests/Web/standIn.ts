// What a browser gives a page, for tests of the stores that run in Node. It is imported before them.
const kept = new Map<string, string>();

Object.assign(globalThis, {
  localStorage: {
    get length() {
      return kept.size;
    },
    key: (index: number) => [...kept.keys()][index] ?? null,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  },
  location: { hash: "" },
  addEventListener: () => undefined,
});

export interface Asked {
  method: string;
  params: Record<string, unknown>;
}

/** The daemon of a test: what it was asked, and what it answers. */
export const daemon: { asked: Asked[]; answer: (asked: Asked) => unknown; isAway: boolean } = { asked: [], answer: () => ({}), isAway: false };

/** Throw it to refuse. */
export class No {
  constructor(readonly kind: string) {}
}

function answered(asked: Asked): object {
  daemon.asked.push(asked);
  try {
    return { result: daemon.answer(asked) };
  } catch (error) {
    return { error: { code: -32000, message: "no", data: { kind: (error as No).kind } } };
  }
}

globalThis.fetch = (async (_path: string, init: { body: string }) => {
  if (daemon.isAway) return new Response(JSON.stringify({ error: { code: -32050, message: "away", data: { kind: "away", retryable: true } } }), { status: 503 });
  const asked = JSON.parse(init.body) as Asked | Asked[];
  return new Response(JSON.stringify(Array.isArray(asked) ? asked.map(answered) : answered(asked)));
}) as typeof fetch;

/** Waits until it is so: for half a minute, since a busy machine may take seconds for what takes none. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  for (let step = 0; step < 3000; step += 1) {
    if (condition()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`waited in vain for ${what}`);
}
