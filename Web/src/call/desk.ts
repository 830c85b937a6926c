// The seat of a call: this window opens microphone and camera, connects to the other windows, and reports to the daemon while it does.
import type { Call, MessageCall } from "../contract/types";
import { say as readOut } from "../parts/live";
import { notify, refused } from "../parts/notice";
import { self } from "../store/account";
import { calls, loadCalls, takeCall } from "../store/calls";
import { contacts } from "../store/contacts";
import { personName } from "../store/people";
import { laterWords } from "../text/language";
import { isolatedName } from "../text/safe";
import { t } from "../text/t";
import { problemOf } from "../wire/devices";
import { link } from "../wire/link";
import { asRefused } from "../wire/refusal";
import { call, lastWord } from "../wire/rpc";
import { mayOpen, open } from "./devices";
import { forgetProof, ownSeat, proof } from "./keeping";
import type { Proof } from "./keeping";
import { Mesh } from "./mesh";
import { sources } from "./peer";
import type { Peer, Source, Tracks } from "./peer";
import { hasSeat, isIn, isSmaller, showsScreen, wantsTie } from "./people";
import { empty, failures, noteProblem, seat, show } from "./seat";
import { captureFor } from "./sizes";
import { isUntold, tellLater } from "./untold";

/** How often the window reports its seat to the daemon, in ms. */
const REPORT = 5000;
/** While the daemon is away, a call ends when nothing has been heard from the other windows for so long, in ms. */
const LOST = 30_000;
/** How often the window looks meanwhile whether anything comes from them, in ms. */
const LOOK = 1000;

let name = "";
let kept: Proof | null = null;
let tracks: Tracks = {};
let after = 0;
let seen = -1;
/** How often this host's addresses had changed when this window last looked for a new way. */
let moves = -1;
let isFetching = false;
/** Whether signals have come while others were being fetched. */
let isStale = false;
/** Whether a request is under way that gives this window a seat: its answer counts, not the event before it. */
let isTaking = false;
/** Whether the voice was on in a call that gave way to another: it stays on there. */
let wasOn = false;
/** The number of seats that were left: a device that opens after its seat was left is not wanted any more. */
let turn = 0;
/** Settles once the devices that the call begins with have opened, or have failed to. */
let opened: Promise<unknown> = Promise.resolve();
let ticking: ReturnType<typeof setInterval> | undefined;
let looking: ReturnType<typeof setInterval> | undefined;
/** Calls that have ended here, of which the daemon may not know yet. */
const given = new Set<string>();
const mesh = new Mesh(() => void report());

const isOver = ({ state }: Call): boolean => state === "ended";
const find = (id: string | null): Call | undefined => calls.get().find((one) => one.id === id);
const ownDevice = (): string => self.get().account?.device.id ?? "";
const nameOf = (account: string): string => isolatedName(personName(account, contacts.get()));

function showTracks(): void {
  const own = tracks.camera;
  const before = seat.get().own;
  show({
    sends: sources.filter((source) => tracks[source]?.enabled === true),
    surface: (tracks.screen?.getSettings() as { displaySurface?: string } | undefined)?.displaySurface ?? null,
    own: own === undefined ? null : before?.getTracks()[0] === own ? before : new MediaStream([own]),
  });
}

function tellTracks(): void {
  showTracks();
  const { id, sends } = seat.get();
  if (id !== null) void call("call.update", { id, seat: name, sends: [...sends] }).catch(() => undefined);
}

/** Chooses the size of the pictures that are sent, as large as the number of people allows. */
function resize(now: Call): void {
  if (mesh.resize(1 + now.participants.filter((one) => isIn(now, one)).length, tracks.screen !== undefined)) capture();
}

/** Has the camera take pictures of that size, and tells the senders once it does. */
const capture = (): void => void tracks.camera?.applyConstraints(captureFor(mesh.sizes.camera)).then(() => mesh.fit(), () => undefined);

export const setLoudspeaker = (): void => mesh.moveLoudspeaker();

async function report(): Promise<void> {
  const { id } = seat.get();
  if (id === null) return;
  const peers = (await mesh.report()).map((one) => ({ ...one }));
  await call("call.report", { id, seat: name, peers }).catch((error: unknown) => {
    const { kind } = asRefused(error);
    if (kind === "not_found" || kind === "not_allowed") loadCalls().catch(() => undefined);
  });
}

function tick(): void {
  void report();
  void fetchSignals();
}

/** While the daemon is away nobody else says that the other windows are gone. */
async function endIfLost(): Promise<void> {
  if (link.get() === "open") return;
  const heardAt = await mesh.heardAt();
  const { id } = seat.get();
  if (id !== null && link.get() !== "open" && heardAt !== null && Date.now() - heardAt >= LOST) endUntold(id, "lost");
}

/** Ends a call that the daemon can't be told of now. */
function endUntold(id: string, reason: "hangup" | "lost"): void {
  given.add(id);
  tellLater(id);
  const now = find(id);
  leave();
  if (now !== undefined) takeCall({ ...now, state: "ended", reason });
}

/** Takes the seat of a call that the daemon has given to this window. */
function sit(told: Call): void {
  isTaking = false;
  after = 0;
  seen = -1;
  moves = told.moves;
  given.delete(told.id);
  show({ id: told.id });
  stopTicking();
  [ticking, looking] = [setInterval(tick, REPORT), setInterval(() => void endIfLost(), LOOK)];
  tellTracks();
  takeCall(told, true);
  look();
}

function stopTicking(): void {
  clearInterval(ticking);
  clearInterval(looking);
}

/** Leaves the call, whatever becomes of it: this window sends nothing any more. */
function leave(): void {
  turn += 1;
  mesh.close();
  for (const track of Object.values(tracks)) track.stop();
  tracks = {};
  stopTicking();
  kept = null;
  if (seat.get().id !== null) void forgetProof();
  seat.set(empty);
}

function connect(device: string, generation: number): Peer | undefined {
  const { id } = seat.get();
  if (id === null || kept === null) return undefined;
  return mesh.connect(device, generation, { certificate: kept.certificate, offers: isSmaller(ownDevice(), device), tracks, ready: opened }, {
    say: (signal) => call("call.signal", { id, seat: name, device, ...signal }).then(() => undefined),
    isQuiet: () => find(id)?.participants.find((one) => one.device === device)?.sends.length === 0,
  });
}

/** Returns the connection with this seat of a device; one with an earlier seat is replaced. */
function tied(device: string, generation: number): Peer | undefined {
  const peer = mesh.get(device);
  if (peer === undefined || (peer.theirs !== 0 && peer.theirs < generation) || (peer.theirs === 0 && generation > 1)) return connect(device, generation);
  if (peer.theirs === 0 && generation === 1) peer.answered();
  return peer;
}

async function fetchSignals(): Promise<void> {
  const { id } = seat.get();
  isStale = isFetching;
  if (id === null || isFetching) return;
  isFetching = true;
  const answer = await call("call.signals", { id, seat: name, after }).catch(() => null);
  isFetching = false;
  if (answer === null || seat.get().id !== id) return;
  after = answer.next;
  for (const signal of answer.signals) {
    // A signal may be faster than the state that tells a new generation.
    const peer = tied(signal.device, signal.generation);
    if (peer?.theirs === signal.generation) peer.take(signal);
  }
  if (answer.signals.length > 0 || isStale) void fetchSignals();
}

/** Does what the newest state of the calls asks for. */
function look(): void {
  const { id } = seat.get();
  if (isTaking) return;
  if (id === null) {
    const mine = calls.get().find((one) => one.seat === name && !isOver(one) && !given.has(one.id) && !isUntold(one.id));
    if (mine !== undefined) take(mine).catch(refused);
    return;
  }
  const now = find(id);
  if (now === undefined || isOver(now) || now.seat !== name) {
    if (now?.reason === "failed" && (mesh.isRefused || mesh.isNameless)) failures.update((all) => new Map(all).set(now.id, mesh.isRefused ? "refused" : "nameless"));
    // A group's call goes on without this window, and the user did not want that.
    if (now?.state === "ongoing" && (now.reason === "full" || now.reason === "lost")) notify(t(`call.end.${now.reason}`));
    wasOn = now?.replacedBy !== undefined && tracks.microphone?.enabled === true;
    leave();
    return;
  }
  mesh.keep(new Set(now.participants.filter((one) => wantsTie(now, one)).map(({ device }) => device)));
  resize(now);
  for (const one of now.participants) {
    if (hasSeat(now, one)) tied(one.device, one.generation);
    // The offer goes with the ring, so that the answer finds it there.
    else if (!now.group && one.generation === 0 && wantsTie(now, one) && mesh.get(one.device) === undefined && isSmaller(ownDevice(), one.device)) connect(one.device, 0);
  }
  if (now.moves !== moves) {
    moves = now.moves;
    mesh.move();
  }
  yieldScreen(now);
  if (now.signals !== seen) {
    seen = now.signals;
    void fetchSignals();
  }
}

/** Stops showing the screen if two have begun that at once and the other device has the smaller id: its screen stays. */
function yieldScreen(now: Call): void {
  const other = showsScreen(now);
  if (tracks.screen === undefined || other === undefined || isSmaller(ownDevice(), other.device)) return;
  set("screen", undefined);
  notify(t("call.screen.other", { name: nameOf(other.account) }));
}

/** Opens the devices that are wanted, one after the other, and notes which can't be opened. */
async function openAll(wanted: readonly Source[], isMuted: boolean): Promise<void> {
  for (const source of wanted) if (source !== "screen") await turnOn(source, isMuted);
}

/** Notices when a device is pulled out, or the browser ends the sharing of a screen. */
function watch(source: Source): void {
  const track = tracks[source];
  track?.addEventListener("ended", () => {
    if (tracks[source] === track) set(source, undefined);
  });
}

function set(source: Source, track: MediaStreamTrack | undefined): void {
  if (tracks[source] !== track) tracks[source]?.stop();
  if (track === undefined) delete tracks[source];
  else tracks[source] = track;
  if (track !== undefined) watch(source);
  mesh.replace(source, track);
  const now = find(seat.get().id);
  if (source === "screen" && now !== undefined) resize(now);
  tellTracks();
}

const wantedFor = (media: MessageCall["media"]): Source[] => (media === "picture" ? ["microphone", "camera"] : ["microphone"]);

/** Runs the request that gives this window a seat; the devices that it has opened are closed if that is refused. */
async function seated(wanted: readonly Source[], ask: (fingerprint: string) => Promise<Call>, { isNew = true, asksLeave = false, isMuted = false } = {}): Promise<void> {
  if (isTaking) return;
  isTaking = true;
  try {
    name = await ownSeat;
    leave();
    if (isNew) await forgetProof();
    const [made, isAllowed] = await Promise.all([proof(), mayOpen(wanted), laterWords()]);
    opened = openAll(wanted, isMuted);
    // Where the devices were allowed before, the request doesn't wait for them to open.
    if (!isAllowed) await opened;
    if (asksLeave && seat.get().problems.microphone === "denied") {
      // A call in which the user can't be heard rings nowhere.
      notify(t("call.denied"));
      leave();
      return;
    }
    kept = made;
    sit(await ask(made.fingerprint));
  } catch (error) {
    leave();
    await forgetProof();
    throw error;
  } finally {
    isTaking = false;
  }
}

export async function start(conversation: string, media: MessageCall["media"]): Promise<void> {
  if (seat.get().id !== null) {
    await laterWords();
    notify(t("call.already"));
    return;
  }
  await seated(wantedFor(media), (fingerprint) => call("call.start", { conversation, media, seat: name, fingerprint }), { asksLeave: true });
}

/** Answers a call that rings, or joins one of a group. */
export async function accept(ringing: Call, media: MessageCall["media"]): Promise<void> {
  const { id } = seat.get();
  if (id !== null) await hangUp(id);
  await seated(wantedFor(media), (fingerprint) => call("call.accept", { id: ringing.id, media, seat: name, fingerprint })).catch((error: unknown) => {
    if (!ringing.group || asRefused(error).kind !== "busy") throw error;
    notify(t("call.end.full"));
  });
}

/** Takes over the seat, after this window was reloaded or from another window. A microphone that was off stays off. */
export function take(mine: Call): Promise<void> {
  const isMuted = !wasOn && !mine.sends.includes("microphone") && (mine.group || mine.connectedAt !== null);
  wasOn = false;
  const others = mine.sends.filter((source) => source !== "microphone");
  return seated(["microphone", ...others], (fingerprint) => call("call.take", { id: mine.id, seat: name, fingerprint }), { isNew: false, isMuted });
}

export async function hangUp(id: string): Promise<void> {
  given.add(id);
  // The window is silent at once, without waiting for the daemon.
  if (seat.get().id === id) leave();
  await call("call.hangup", { id }).then(takeCall, (error: unknown) => {
    if (link.get() === "open") refused(error);
    else endUntold(id, "hangup");
  });
}

export const decline = (id: string, text?: string): Promise<void> =>
  call("call.decline", { id, ...(text === undefined ? {} : { text }) }).then(takeCall, refused);

/** Forgets a call that has ended, once the user has seen that. */
export const dismiss = (id: string): void => calls.update((all) => all.filter((one) => one.id !== id));

export function mute(isMuted: boolean): void {
  const track = tracks.microphone;
  if (track === undefined) {
    if (!isMuted) void turnOn("microphone");
    return;
  }
  track.enabled = !isMuted;
  readOut(t(isMuted ? "call.voice.isOff" : "call.voice.isOn"));
  tellTracks();
}

export function deafen(deaf: boolean): void {
  mesh.deafen(deaf);
  show({ deaf });
}

/** Opens a device for the call, or another one in its place. Another microphone in the place of one that is off is off, too. */
export async function turnOn(source: "microphone" | "camera", isMuted = tracks.microphone?.enabled === false): Promise<void> {
  const now = turn;
  try {
    const track = await open(source, mesh.sizes.camera);
    if (turn !== now) return track.stop();
    // The voice may have gone off while another microphone opened.
    if (source === "microphone") track.enabled = tracks.microphone?.enabled ?? !isMuted;
    set(source, track);
    noteProblem(source, undefined);
  } catch (error) {
    if (turn === now) noteProblem(source, problemOf(error));
  }
}

/** Opens the chosen device again, because another one was chosen or its sound settings have changed. */
export function renew(source: "microphone" | "camera"): void {
  if (tracks[source] !== undefined) void turnOn(source);
}

export const turnOff = (source: Source): void => set(source, undefined);

/** Shows a screen or a window, which the browser lets the user choose. A call shows one at a time. */
export async function share(): Promise<void> {
  const now = turn;
  const mine = find(seat.get().id);
  const other = mine && showsScreen(mine);
  if (other !== undefined) return notify(t("call.screen.other", { name: nameOf(other.account) }));
  const { width, height, rate } = mesh.sizes.screen;
  const stream = await navigator.mediaDevices.getDisplayMedia({ video: { width: { max: width }, height: { max: height }, frameRate: rate } }).catch(() => null);
  const [track] = stream?.getVideoTracks() ?? [];
  if (track === undefined) return;
  track.contentHint = "detail";
  if (turn === now && seat.get().id !== null) set("screen", track);
  else track.stop();
}

void ownSeat.then((own) => {
  name = own;
  calls.subscribe(look);
  link.subscribe(() => {
    if (link.get() === "open") void report();
  });
  look();
});
addEventListener("beforeunload", (event) => {
  if (seat.get().id !== null) event.preventDefault();
});
// The daemon waits for some seconds: a window that is only loaded anew takes its seat again by then.
addEventListener("pagehide", ({ persisted }) => {
  const { id } = seat.get();
  if (id !== null && !persisted) lastWord("call.report", { id, seat: name, peers: [], closes: true });
});
