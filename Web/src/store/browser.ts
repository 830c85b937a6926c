// The choices that only this browser keeps: how the page looks and behaves here. The daemon doesn't know them.
import { Store } from "../base/store";

export interface BrowserSettings {
  theme: "system" | "light" | "dark";
  /** Own messages stand at the end of the line, or all at its beginning. */
  ownAtEnd: boolean;
  /** Enter sends, or makes a new line and Ctrl+Enter sends. */
  enterSends: boolean;
  notifications: boolean;
  /** Whether a notification shows the text. */
  notificationText: boolean;
  /** Whether a sound announces messages. */
  sound: boolean;
  /** After so many minutes without input in this browser the account is locked; 0: it isn't. */
  lockAfter: number;
}

const KEY = "kibo.browser";
const usual: BrowserSettings = { theme: "system", ownAtEnd: true, enterSends: true, notifications: false, notificationText: true, sound: false, lockAfter: 0 };

function read(): BrowserSettings {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? { ...usual, ...kept } : usual;
  } catch {
    return usual;
  }
}

export const browser = new Store<BrowserSettings>(read());

function show(): void {
  const { theme, ownAtEnd } = browser.get();
  document.documentElement.dataset["own"] = ownAtEnd ? "end" : "start";
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function setBrowser(values: Partial<BrowserSettings>): void {
  browser.update((now) => ({ ...now, ...values }));
  localStorage.setItem(KEY, JSON.stringify(browser.get()));
}

/** Applies the theme now and whenever it changes, also in another tab. */
export function watchBrowser(): void {
  show();
  browser.subscribe(show);
  addEventListener("storage", (event) => {
    if (event.key === KEY) browser.set(read());
  });
}
