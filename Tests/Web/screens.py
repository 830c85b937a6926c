"""Every screen of the page, and what can be opened on it: for the tests that walk through all of them, in any browser."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Screen:
    """Where a screen stands, what is pressed there, and a text that shows that it is there."""

    name: str
    path: str
    seen: str
    steps: tuple = ()


def screens(scene):
    """All screens of somebody who has friends, groups, files and an address book (scene.fill)."""
    ben, chat, group, late = scene["ben"], scene["chat"], scene["group"], scene["late"]
    lake, backup, tuesday = "And this was Saturday", "It did, at 03:10", "See you on Tuesday?"
    at = f"chats/{chat}"
    about = lambda name, text, entry, seen: Screen(name, at, seen, (("menu", text), ("choose", entry)))
    return [
        Screen("chats", "chats", "Hikers"), Screen("archived chats", "chats/archived", "Archived chats"),
        Screen("actions of a chat", "chats", "Archive", (("actions", "Hikers"),)), Screen("delete a chat", "chats", "This deletes the chat", (("actions", "Hikers"), ("choose", "Delete chat"))),
        Screen("new chat", "chats/new", "Choose who belongs to it"), Screen("new group", "chats/group", "Group name", (("row", "Ben Ito"), ("row", "Cléo Martin"), ("press", "Create a group"))),
        Screen("chat", at, backup), Screen("details in a chat", f"{at}/details", "Account ID"), Screen("pictures of a chat", f"{at}/media", "Audio"), Screen("files of a chat", f"{at}/media", "Audio", (("press", "Files"),)),
        Screen("links of a chat", f"{at}/media", "Audio", (("press", "Links"),)), Screen("menu of a chat", at, "Save as text", (("press", "More about this chat"),)),
        Screen("days", at, "Day", (("press", "More about this chat"), ("choose", "Go to a day"))), Screen("emoji", at, "Faces and feelings", (("press", "Emoji"),)),
        Screen("found emoji", at, "Emoji", (("press", "Emoji"), ("type", "Search emoji in English", "otter"))),
        Screen("voice note", at, "Voice note", (("press", "Record a voice note"),)),
        Screen("menu of a message", at, "Forward", (("menu", backup),)), about("reaction", backup, "Another reaction", "Faces and feelings"), about("answer", backup, "Reply", "Replying to this message"),
        about("edit", backup, "Edit", "Editing this message"), about("delete a message", backup, "Delete message", "Delete for everyone"),
        about("forward", lake, "Forward", "Cléo Martin"), about("story", lake, "Message info", "It arrived and was stored here."), about("viewer", lake, "View", "Saturday.png"),
        Screen("story that waits", f"chats/{late}", "It is waiting for", (("menu", tuesday), ("choose", "Message info"))),
        Screen("group", f"chats/{group}", "The lake on Sunday?"), Screen("group beside its chat", f"chats/{group}/details", "3 members"),
        Screen("who has read", f"chats/{group}", "Recipients", (("menu", "The lake on Sunday?"), ("choose", "Who has read it"))),
        Screen("notes", f"chats/{scene['notes']}", "Return the map to Dora"), Screen("details of notes", f"chats/{scene['notes']}/details", "Nobody else gets it"),
        Screen("delete a note", f"chats/{scene['notes']}", "This deletes the note", (("menu", "Return the map to Dora"), ("choose", "Delete message"))),
        Screen("calls", "calls", "No calls yet"), Screen("groups", "groups", "Hikers"), Screen("details of a group", f"groups/{scene['hikers']}", "About the group"),
        Screen("edit a group", f"groups/{scene['hikers']}", "Description", (("press", "Edit the group"),)), Screen("add people", f"groups/{scene['hikers']}", "Search friends", (("press", "Add people"),)),
        Screen("leave a group", f"groups/{scene['hikers']}", "You won’t get any more messages", (("press", "Leave the group"),)),
        Screen("search", "search", "Find people, messages"), Screen("found", "search", "lake", (("type", "Search everything", "lake"),)),
        Screen("found over the chats", "chats", "People", (("type", "Search everything", "i"),)),
        Screen("first steps", "start", "More ways to find people"), Screen("friends", "friends", "Dora Novák"), Screen("requests", "friends/requests", "We met at the library"),
        Screen("nearby", "friends/nearby", "Emil Rossi"), Screen("request", "friends/nearby", "Send request", (("press", "Add Emil Rossi"),)),
        Screen("address", "friends/address", "Copy the link"), Screen("camera", "friends/address", "Turn the camera off", (("press", "Use the camera"),)), Screen("blocked", "friends/blocked", "Gus Stone"), Screen("details", f"friends/{ben}", "Account ID"),
        Screen("block", f"friends/{ben}", "Block Ben Ito", (("press", "Block"),)), Screen("verify", f"friends/{ben}/verify", "Safety number"),
        Screen("address book", "friends/book", "Hana Mori"), Screen("import", "friends/book", "Drop a vCard file here", (("press", "Import contacts"),)),
        Screen("invite", "friends/invite", "Gerd Olsen"), Screen("transfers", "transfers", "Slides"), Screen("transfers with", f"transfers/with/{ben}", "Slides"),
        Screen("settings", "settings", "Privacy"), Screen("notifications", "settings/notifications", "Notifications on the desktop"), Screen("appearance", "settings/appearance", "Theme"), Screen("settings of calls", "settings/calls", "Who can call me"), Screen("account", "settings/account", "New passphrase"),
        Screen("privacy", "settings/privacy", "Friend requests"), Screen("messages", "settings/messages", "Delete old messages after"), Screen("files", "settings/files", "Largest file"),
        Screen("couriers", "settings/couriers", "Who keeps messages for me"), Screen("choose couriers", "settings/couriers", "Your friends see who your couriers are", (("press", "Choose friends"),)),
        Screen("phones", "settings/phones", "Get files from phones with LocalSend"),
        Screen("invitations", "settings/invite", "Text of an invitation"), Screen("browser", "settings/browser", "Logged-in browsers"), Screen("devices of calls", "settings/calls", "Play a test tone", (("press", "Devices"),)), Screen("keyboard", "settings/keys", "Everywhere"),
        Screen("found settings", "settings/privacy", "phone", (("type", "Search settings", "phone"),)), Screen("profile", "me", "My link"),
        Screen("doctor", "doctor", "Copy as text"), Screen("about", "about", "Version"), Screen("more", "more", "Doctor"),
        Screen("go to", "chats", "Chat, friend or screen", (("key", "k", "ctrlKey"),)), Screen("keys", "chats", "This list", (("key", "?"),)),
    ]


#: Does one step in the page, once what it needs is there: any browser can run it.
STEP = """async (kind, what, more) => {
  const shown = (one) => one.checkVisibility() && one.disabled !== true;
  const named = (selector) => [...document.querySelectorAll(selector)].filter(shown)
      .find((one) => (one.getAttribute("aria-label") ?? one.textContent).trim().startsWith(what));
  const act = {
    press: () => named("button"),
    choose: () => named("[role=menuitem]"),
    row: () => [...document.querySelectorAll("[data-row]")].filter(shown).find((one) => one.textContent.includes(what)),
    menu: () => [...document.querySelectorAll("[data-id]")].filter(shown).find((one) => one.textContent.includes(what)),
    actions: () => [...document.querySelectorAll("[data-row]")].filter(shown).find((one) => one.textContent.includes(what)),
    type: () => [...document.querySelectorAll("input")].filter(shown).find((one) => one.placeholder === what),
    key: () => document.body,
  }[kind];
  for (let wait = 0; wait < 400 && act() === undefined; wait += 1) await new Promise((done) => setTimeout(done, 25));
  const one = act();
  if (one === undefined) throw new Error(`there is no ${kind} ${what}`);
  if (kind === "menu" || kind === "actions") one.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX: 60, clientY: 300 }));
  else if (kind === "key") one.dispatchEvent(new KeyboardEvent("keydown", { key: what, bubbles: true, cancelable: true, ...(more === "" ? {} : { [more]: true }) }));
  else if (kind === "type") {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(one, more);
    one.dispatchEvent(new Event("input", { bubbles: true }));
  } else one.click();
}"""

#: Goes to a path, from wherever the page is, and closes what stands open.
GO = """async (path) => {
  for (const open of document.querySelectorAll("dialog[open]")) open.dispatchEvent(new Event("cancel", { cancelable: true }));
  dispatchEvent(new PointerEvent("pointerdown"));
  location.hash = path === "more" ? "#/about" : "#/more";
  await new Promise((done) => setTimeout(done, 60));
  location.hash = "#/" + path;
  await new Promise((done) => setTimeout(done, 60));
}"""

#: Whether a text is on the screen, also in a field.
SEEN = """(text) => document.body.innerText.includes(text)
    || [...document.querySelectorAll("input, textarea, img, [aria-label]")].some((one) => one.checkVisibility()
        && [one.value, one.placeholder, one.alt, one.getAttribute("aria-label")].some((word) => word?.includes?.(text)))"""

#: What is wrong with the screen as it stands: it sticks out, words of ours are cut, something moves, landmarks are missing.
FAULTS = """() => {
  const found = new Set();
  const told = (one) => `<${one.tagName.toLowerCase()} class="${one.className}"> ${one.textContent.slice(0, 60)}`;
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found.add(`the page sticks out by ${wide}`);
  // What others wrote may be cut where it is whole elsewhere; these scroll by themselves.
  const foreign = ".row-sub, .chat-head-sub, .quote-text, [title]:not(.chat-head), .search-snippet, .rail-link .badge";
  const scrolling = ".viewer-stage, .emoji-jumps, textarea, input";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const one = node.parentElement;
    if (node.data.trim() === "" || !one.checkVisibility() || one.closest(".hidden-words, .skip, noscript, script, option, [aria-hidden=true]") !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    if (one.closest(scrolling) === null && (box.left < -1 || box.right > innerWidth + 1) && one.closest(foreign) === null) found.add(`sticks out: ${told(one)}`);
    if (one.closest(foreign) !== null) continue;
    for (let around = one; around !== null && !around.matches(scrolling + ", body"); around = around.parentElement) {
      const style = getComputedStyle(around);
      const frame = around.getBoundingClientRect();
      const isCut = (style.overflowX === "hidden" || style.overflowX === "clip") && (box.right > frame.right + 1.5 || box.left < frame.left - 1.5)
        || (style.overflowY === "hidden" || style.overflowY === "clip") && (box.bottom > frame.bottom + 3 || box.top < frame.top - 3);
      if (isCut) found.add(`is cut: ${told(one)}`);
      if (/auto|scroll/.test(style.overflowY) && around.scrollWidth > around.clientWidth + 1) found.add(`scrolls sideways: ${told(around)}`);
      if (/auto|scroll/.test(style.overflowY) || style.position === "fixed") break;
    }
  }
  for (const motion of document.getAnimations()) {
    const { duration, iterations } = motion.effect.getComputedTiming();
    // What is under way may turn while it lasts.
    if (motion.effect.target.closest(".waiting, .spinner") === null && motion.playState === "running" && Number(duration) * Math.min(iterations, 10) > 50) found.add(`moves: ${told(motion.effect.target)}`);
  }
  const landmarks = [...document.querySelectorAll("main, [role=main]")].filter((one) => one.checkVisibility());
  if (landmarks.length !== 1) found.add(`has ${landmarks.length} landmarks main`);
  if (![...document.querySelectorAll("h1")].some((one) => one.checkVisibility())) found.add("has no heading");
  const failed = [...document.querySelectorAll(".empty-title")].find((one) => one.textContent === "Something went wrong here");
  if (failed !== undefined) found.add(failed.parentElement.textContent);
  return [...found].join("\\n");
}"""
