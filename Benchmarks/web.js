// Measures from inside of the page: runs before its own scripts, touches nothing of it, and is what Benchmarks/web.py asks.
window.bench = (() => {
  /** When the frame that is being made has been handed on to be shown. */
  const shown = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now());
    channel.port2.postMessage(0);
  }));

  /** When what fits is in the page and drawn: since the page was opened, in ms. */
  const when = async (fits) => {
    await new Promise((done) => {
      const watch = new MutationObserver(() => look());
      const look = () => {
        if (!fits()) return;
        watch.disconnect();
        done();
      };
      watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      look();
    });
    return shown();
  };

  // The first row of a list of chats, friends or the like.
  const usable = when(() => document.querySelector("[data-row]") !== null);

  const painted = new Promise((done) => {
    new PerformanceObserver((list) => {
      const first = list.getEntriesByName("first-contentful-paint")[0];
      if (first !== undefined) done(first.startTime);
    }).observe({ type: "paint", buffered: true });
  });

  // When the last key or button was pressed: the browser's own stamp, from before it reached the page.
  let pressed = 0;
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, (event) => { pressed = event.timeStamp; }, true);

  // What the browser says of its own frames: how long each input took to be painted, and each long task.
  const inputs = new Map();
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.interactionId > 0) inputs.set(entry.interactionId, Math.max(inputs.get(entry.interactionId) ?? 0, entry.duration));
    }
  }).observe({ type: "event", durationThreshold: 16 });
  let tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });

  let ticking = false;
  let frames = [];
  // Different ones: a row that is made again is no other row.
  const rows = new Set();
  const counting = new MutationObserver((changes) => {
    for (const change of changes) for (const node of change.addedNodes) {
      if (!(node instanceof Element)) continue;
      for (const one of [node, ...node.querySelectorAll("[data-id]")]) if (one.dataset.id !== undefined) rows.add(one.dataset.id);
    }
  });

  const wanted = new Map();
  const history = () => document.querySelector(".history");
  const row = (id) => document.querySelector(`.history [data-id="${id}"]`);
  /** The row with exactly this text. */
  const messages = document.getElementsByClassName("message");
  const saying = (text) => {
    for (let index = messages.length - 1; index >= Math.max(0, messages.length - 8); index -= 1) {
      if (messages[index].querySelector(".text")?.textContent === text) return messages[index];
    }
    return undefined;
  };

  return {
    pressed: () => pressed,
    /** The wall clock at which a moment of this page was. */
    wall: (moment) => performance.timeOrigin + moment,
    usable: () => usable,
    painted: () => painted,
    scripts: () => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => path.endsWith(".js")),
    tasks: () => tasks,

    /** Begins to wait for something under a name; `take` gives the answer. */
    expect: (name, kind, value) => {
      const fits = {
        rows: () => row(value) !== null || (value === null && document.querySelector(".history [data-id]") !== null),
        found: () => {
          const box = row(value)?.getBoundingClientRect();
          const frame = history()?.getBoundingClientRect();
          return box !== undefined && frame !== undefined && box.top >= frame.top && box.bottom <= frame.bottom;
        },
        text: () => saying(value) !== undefined,
        delivered: () => saying(value)?.querySelector(".tick-delivered, .tick-read") != null,
      }[kind];
      wanted.set(name, when(fits));
    },
    take: (name) => wanted.get(name),

    inputs: () => [...inputs.values()],
    forget: () => {
      inputs.clear();
      tasks = [];
    },

    /** Counts frames and rows until `stop`. */
    start: () => {
      ticking = true;
      frames = [];
      rows.clear();
      counting.observe(history(), { subtree: true, childList: true });
      let last = performance.now();
      const tick = (now) => {
        frames.push(now - last);
        last = now;
        if (ticking) requestAnimationFrame(tick);
      };
      requestAnimationFrame((now) => {
        last = now;
        requestAnimationFrame(tick);
      });
    },
    rows: () => rows.size,
    stop: () => {
      ticking = false;
      counting.disconnect();
      return frames;
    },
  };
})();
