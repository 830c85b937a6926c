// Where the page begins: log in with the token of the link, load the words, open the event stream, draw.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Gate } from "./screens/gate";
import { keepSaying } from "./store/notices";
import "./screens/sides/shared";
import { preload, preloadChat } from "./screens/registry";
import { go, noteEntry, place } from "./store/router";
import { watchBrowser } from "./store/browser";
import { watchChanges } from "./store/changes";
import { watchDrafts } from "./store/drafts";
import { feed } from "./store/feed";
import { watchIdle } from "./store/idle";
import { watchNotifications } from "./store/notifications";
import { chosenLanguage, loadLanguage, watchLanguage } from "./text/language";
import { t } from "./text/t";
import { listen } from "./wire/events";
import { logIn, type Welcomed } from "./wire/rpc";

/** The worker's address: the bundler puts the name with its hash here. */
declare const WORKER: string;

/** The token of a link from `kibo web` leaves the address at once, whatever becomes of it. */
async function enter(): Promise<Welcomed["moved"]> {
  const found = /^#t=([\w-]{43})(?:&go=([\w/-]+))?$/.exec(location.hash);
  const token = found?.[1];
  if (token === undefined) return undefined;
  const path = found?.[2] ?? "chats";
  go(path, true);
  // A token that is too old does no harm where the browser is logged in already.
  const welcomed = await logIn(token).catch(() => undefined);
  if (welcomed !== undefined) noteEntry(path);
  return welcomed?.moved;
}

/** The script of chats is fetched at the first sign of the user: it is there when they open one, also if the gateway ends or is upgraded before. */
function watchUser(): void {
  for (const sign of ["pointermove", "pointerdown", "keydown"]) addEventListener(sign, preloadChat, { once: true });
}

async function start(): Promise<void> {
  watchBrowser();
  const root = document.getElementById("root");
  if (root === null) return;
  const words = loadLanguage(chosenLanguage());
  const moved = await enter();
  watchNotifications();
  listen(WORKER, feed);
  preload(place.get());
  watchChanges();
  watchIdle();
  watchUser();
  watchDrafts();
  watchLanguage();
  await words;
  if (moved !== undefined) keepSaying({ label: t("app.moved.seen"), run: () => undefined })(t("app.moved", { from: String(moved.from), to: String(moved.to) }));
  createRoot(root).render(<StrictMode><Gate /></StrictMode>);
}

void start();
