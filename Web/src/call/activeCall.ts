// The call that this window carries: this window opens microphone and camera, connects to the other windows, and reports to the daemon while it does.
import type { Call, MessageCall } from "../contract/types";
import { self } from "../store/account";
import { calls, loadCalls, takeCall } from "../store/calls";
import { contacts } from "../store/contacts";
import { say as readOut } from "../store/live";
import { notify, refused } from "../store/notices";
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
import { hasSeat, isIn, isSmaller, showsScreen, needsConnection } from "./people";
import { empty, failures, noteProblem, seat, show } from "./seat";
import { captureFor } from "./sizes";
import { isUntold, tellLater } from "./untold";

/** How often the window reports its seat to the daemon, in ms. */
const REPORT = 5000;
/** While the daemon is away, a call ends when nothing has been heard from the other windows for this long, in ms. */
const LOST = 30_000;
/** How long the window waits for the daemon's answer before it tells what it sends again, in ms. */
const ANSWER = 10_000;
/** How often the window looks meanwhile whether anything comes from them, in ms. */
const LOOK = 1000;

/** Of how many calls this window remembers at most why they may have failed. */
const KEPT = 32;

const isOver = ({ state }: Call): boolean => state === "ended";
const find = (id: string | null): Call | undefined => calls.get().find((one) => one.id === id);
const ownDevice = (): string => self.get().account?.device.id ?? "";
const nameOf = (account: string): string => isolatedName(personName(account, contacts.get()));
const wantedFor = (media: MessageCall["media"]): Source[] => (media === "video" ? ["microphone", "camera"] : ["microphone"]);

export const decline = (id: string, text?: string): Promise<void> =>
  call("call.decline", { id, ...(text === undefined ? {} : { text }) }).then(takeCall, refused);

/** Forgets a call that has ended, once the user has seen that. */
export const dismiss = (id: string): void => calls.update((all) => all.filter((one) => one.id !== id));

/** The seat of this window in a call. One window carries one call at a time. */
class ActiveCall {
  #name = "";
  #proof: Proof | null = null;
  #tracks: Tracks = {};
  #after = 0;
  /** When the daemon was told what this window sends, while there is no answer. */
  #toldAt: number | null = null;
  #seen = -1;
  /** How often this host's addresses had changed when this window last looked for a new way. */
  #moves = -1;
  #isFetching = false;
  /** Whether signals have come while others were being fetched. */
  #isStale = false;
  /** Whether a request is under way that gives this window a seat: its answer counts, not the event before it. */
  #isTaking = false;
  /** Whether the voice was on in a call that gave way to another: it stays on there. */
  #wasOn = false;
  /** The number of seats that were left: a device that opens after its seat was left is not wanted any more. */
  #leavings = 0;
  /** Settles once the devices that the call begins with have opened, or have failed to. */
  #opened: Promise<unknown> = Promise.resolve();
  #ticking: ReturnType<typeof setInterval> | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;
  /** Calls that have ended here; the daemon may not know it yet. */
  readonly #ended = new Set<string>();
  readonly #mesh = new Mesh(() => void this.#report());

  /** Follows the calls from now on, and tells the daemon when the window closes. */
  constructor() {
    void ownSeat.then((own) => {
      this.#name = own;
      calls.subscribe(() => this.#look());
      link.subscribe(() => {
        if (link.get() === "open") this.#tick();
      });
      this.#look();
    });
    addEventListener("beforeunload", (event) => {
      if (seat.get().id !== null) event.preventDefault();
    });
    // The daemon waits for some seconds: a window that is only being reloaded takes its seat again by then.
    addEventListener("pagehide", ({ persisted }) => {
      const { id } = seat.get();
      if (id !== null && !persisted) lastWord("call.report", { id, seat: this.#name, peers: [], closes: true });
    });
  }

  #showTracks(): void {
    const own = this.#tracks.camera;
    const before = seat.get().own;
    show({
      sends: sources.filter((source) => this.#tracks[source]?.enabled === true),
      surface: (this.#tracks.screen?.getSettings() as { displaySurface?: string } | undefined)?.displaySurface ?? null,
      own: own === undefined ? null : before?.getTracks()[0] === own ? before : new MediaStream([own]),
    });
  }

  #tellTracks(): void {
    this.#showTracks();
    this.#tellSends();
  }

  /**
   * Tells the daemon what this window sends, which the others are shown, unless the daemon says the same. Requests can overtake each other and get lost:
   * the next one goes when the last one is answered, and again with each tick while the daemon says something else.
   */
  #tellSends(): void {
    const { id, sends } = seat.get();
    const known = find(id)?.sends;
    const isKnown = known?.length === sends.length && sends.every((source) => known.includes(source));
    if (id === null || isKnown || (this.#toldAt !== null && Date.now() - this.#toldAt < ANSWER)) return;
    const at = this.#toldAt = Date.now();
    call("call.update", { id, seat: this.#name, sends: [...sends] }).then(takeCall, () => undefined).finally(() => {
      if (this.#toldAt === at) this.#toldAt = null;
      // They have changed meanwhile.
      if (seat.get().sends !== sends) this.#tellSends();
    });
  }

  /** Chooses the size of the video that is sent, as large as the number of people allows. */
  #resize(now: Call): void {
    if (this.#mesh.resize(1 + now.participants.filter((one) => isIn(now, one)).length, this.#tracks.screen !== undefined)) this.#capture();
  }

  /** Has the camera take frames of that size, and tells the senders once it does. */
  #capture(): void {
    void this.#tracks.camera?.applyConstraints(captureFor(this.#mesh.sizes.camera)).then(() => this.#mesh.fit(), () => undefined);
  }

  setLoudspeaker(): void {
    this.#mesh.moveLoudspeaker();
  }

  async #report(): Promise<void> {
    const { id } = seat.get();
    if (id === null) return;
    const peers = (await this.#mesh.report()).map((one) => ({ ...one }));
    await call("call.report", { id, seat: this.#name, peers }).catch((error: unknown) => {
      const { kind } = asRefused(error);
      if (kind === "not_found" || kind === "not_allowed") loadCalls().catch(() => undefined);
    });
  }

  #tick(): void {
    this.#tellSends();
    void this.#report();
    void this.#fetchSignals();
  }

  /** While the daemon is away nobody else says that the other windows are gone. */
  async #endIfLost(): Promise<void> {
    if (link.get() === "open") return;
    const heardAt = await this.#mesh.heardAt();
    const { id } = seat.get();
    if (id !== null && link.get() !== "open" && heardAt !== null && Date.now() - heardAt >= LOST) this.#endUntold(id, "lost");
  }

  /** Ends a call that the daemon can't be told of now. */
  #endUntold(id: string, reason: "hangup" | "lost"): void {
    this.#ended.add(id);
    tellLater(id);
    const now = find(id);
    this.#leave();
    if (now !== undefined) takeCall({ ...now, state: "ended", reason });
  }

  /** Takes the seat of a call that the daemon has given to this window. */
  #sit(told: Call): void {
    this.#isTaking = false;
    this.#after = 0;
    this.#seen = -1;
    this.#moves = told.moves;
    this.#ended.delete(told.id);
    show({ id: told.id });
    this.#stopTicking();
    [this.#ticking, this.#looking] = [setInterval(() => this.#tick(), REPORT), setInterval(() => void this.#endIfLost(), LOOK)];
    takeCall(told, true);
    this.#tellTracks();
    this.#look();
  }

  #stopTicking(): void {
    clearInterval(this.#ticking);
    clearInterval(this.#looking);
  }

  /** Leaves the call, whatever becomes of it: this window sends nothing any more. */
  #leave(): void {
    this.#leavings += 1;
    this.#noteFailure();
    this.#mesh.close();
    for (const track of Object.values(this.#tracks)) track.stop();
    this.#tracks = {};
    this.#stopTicking();
    this.#proof = null;
    if (seat.get().id !== null) void forgetProof();
    seat.set(empty);
  }

  /** Remembers what this window knows of why its call may fail: it may hear only later that it has. */
  #noteFailure(): void {
    const { id } = seat.get();
    const failure = this.#mesh.isRefused ? "refused" : this.#mesh.isNameless ? "nameless" : undefined;
    if (id !== null && failure !== undefined) failures.update((all) => new Map([...all].slice(1 - KEPT)).set(id, failure));
  }

  #connect(device: string, generation: number): Peer | undefined {
    const { id } = seat.get();
    if (id === null || this.#proof === null) return undefined;
    return this.#mesh.connect(device, generation, { certificate: this.#proof.certificate, offers: isSmaller(ownDevice(), device), tracks: this.#tracks, ready: this.#opened }, {
      say: (signal) => call("call.signal", { id, seat: this.#name, device, ...signal }).then(() => undefined),
      isQuiet: () => find(id)?.participants.find((one) => one.device === device)?.sends.length === 0,
    });
  }

  /** Returns the connection with this seat of a device; one with an earlier seat is replaced. */
  #connection(device: string, generation: number): Peer | undefined {
    const peer = this.#mesh.get(device);
    if (peer === undefined || (peer.theirs !== 0 && peer.theirs < generation) || (peer.theirs === 0 && generation > 1)) return this.#connect(device, generation);
    if (peer.theirs === 0 && generation === 1) peer.answered();
    return peer;
  }

  async #fetchSignals(): Promise<void> {
    const { id } = seat.get();
    this.#isStale = this.#isFetching;
    if (id === null || this.#isFetching) return;
    this.#isFetching = true;
    const answer = await call("call.signals", { id, seat: this.#name, after: this.#after }).catch(() => null);
    this.#isFetching = false;
    if (answer === null || seat.get().id !== id) return;
    this.#after = answer.next;
    for (const signal of answer.signals) {
      // A signal may be faster than the state that tells a new generation.
      const peer = this.#connection(signal.device, signal.generation);
      if (peer?.theirs === signal.generation) peer.take(signal);
    }
    if (answer.signals.length > 0 || this.#isStale) void this.#fetchSignals();
  }

  /** Does what the newest state of the calls asks for. */
  #look(): void {
    const { id } = seat.get();
    if (this.#isTaking) return;
    if (id === null) {
      const mine = calls.get().find((one) => one.seat === this.#name && !isOver(one) && !this.#ended.has(one.id) && !isUntold(one.id));
      if (mine !== undefined) this.take(mine).catch(refused);
      return;
    }
    const now = find(id);
    if (now === undefined || isOver(now) || now.seat !== this.#name) {
      // A group's call goes on without this window, and the user did not want that.
      if (now?.state === "ongoing" && (now.reason === "full" || now.reason === "lost")) notify(t(`call.end.${now.reason}`));
      this.#wasOn = now?.replacedBy !== undefined && this.#tracks.microphone?.enabled === true;
      this.#leave();
      return;
    }
    this.#mesh.keep(new Set(now.participants.filter((one) => needsConnection(now, one)).map(({ device }) => device)));
    this.#resize(now);
    for (const one of now.participants) {
      if (hasSeat(now, one)) this.#connection(one.device, one.generation);
      // The offer goes with the ring, so that the answer finds it there.
      else if (!now.group && one.generation === 0 && needsConnection(now, one) && this.#mesh.get(one.device) === undefined && isSmaller(ownDevice(), one.device)) this.#connect(one.device, 0);
    }
    if (now.moves !== this.#moves) {
      this.#moves = now.moves;
      this.#mesh.move();
    }
    this.#yieldScreen(now);
    if (now.signals !== this.#seen) {
      this.#seen = now.signals;
      void this.#fetchSignals();
    }
  }

  /** Stops showing the screen if two have begun that at once and the other device has the smaller id: its screen stays. */
  #yieldScreen(now: Call): void {
    const other = showsScreen(now);
    if (this.#tracks.screen === undefined || other === undefined || isSmaller(ownDevice(), other.device)) return;
    this.#set("screen", undefined);
    notify(t("call.screen.other", { name: nameOf(other.account) }));
  }

  /** Opens the devices that are wanted, one after the other, and notes which can't be opened. */
  async #openAll(wanted: readonly Source[], isMuted: boolean): Promise<void> {
    for (const source of wanted) if (source !== "screen") await this.turnOn(source, isMuted);
  }

  /** Notices when a device is pulled out, or the browser ends the sharing of a screen. */
  #watch(source: Source): void {
    const track = this.#tracks[source];
    track?.addEventListener("ended", () => {
      if (this.#tracks[source] === track) this.#set(source, undefined);
    });
  }

  #set(source: Source, track: MediaStreamTrack | undefined): void {
    if (this.#tracks[source] !== track) this.#tracks[source]?.stop();
    if (track === undefined) delete this.#tracks[source];
    else this.#tracks[source] = track;
    if (track !== undefined) this.#watch(source);
    this.#mesh.replace(source, track);
    const now = find(seat.get().id);
    if (source === "screen" && now !== undefined) this.#resize(now);
    this.#tellTracks();
  }

  /** Runs the request that gives this window a seat; the devices that it has opened are closed if that is refused. */
  async #seated(wanted: readonly Source[], ask: (fingerprint: string) => Promise<Call>, { isNew = true, asksLeave = false, isMuted = false } = {}): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      this.#name = await ownSeat;
      this.#leave();
      if (isNew) await forgetProof();
      const [made, isAllowed] = await Promise.all([proof(), mayOpen(wanted), laterWords()]);
      this.#opened = this.#openAll(wanted, isMuted);
      // Where the devices were allowed before, the request doesn't wait for them to open.
      if (!isAllowed) await this.#opened;
      if (asksLeave && seat.get().problems.microphone === "denied") {
        // A call in which the user can't be heard rings nowhere.
        notify(t("call.denied"));
        this.#leave();
        return;
      }
      this.#proof = made;
      this.#sit(await ask(made.fingerprint));
    } catch (error) {
      this.#leave();
      await forgetProof();
      throw error;
    } finally {
      this.#isTaking = false;
    }
  }

  async start(conversation: string, media: MessageCall["media"]): Promise<void> {
    if (seat.get().id !== null) {
      await laterWords();
      notify(t("call.already"));
      return;
    }
    await this.#seated(wantedFor(media), (fingerprint) => call("call.start", { conversation, media, seat: this.#name, fingerprint }), { asksLeave: true });
  }

  /** Answers a call that rings, or joins one of a group. */
  async accept(ringing: Call, media: MessageCall["media"]): Promise<void> {
    const { id } = seat.get();
    if (id !== null) await this.hangUp(id);
    await this.#seated(wantedFor(media), (fingerprint) => call("call.accept", { id: ringing.id, media, seat: this.#name, fingerprint })).catch((error: unknown) => {
      if (!ringing.group || asRefused(error).kind !== "busy") throw error;
      notify(t("call.end.full"));
    });
  }

  /** Takes over the seat, after this window was reloaded or from another window. A microphone that was off stays off. */
  take(mine: Call): Promise<void> {
    const isMuted = !this.#wasOn && !mine.sends.includes("microphone") && (mine.group || mine.connectedAt !== null);
    this.#wasOn = false;
    const others = mine.sends.filter((source) => source !== "microphone");
    return this.#seated(["microphone", ...others], (fingerprint) => call("call.take", { id: mine.id, seat: this.#name, fingerprint }), { isNew: false, isMuted });
  }

  async hangUp(id: string): Promise<void> {
    this.#ended.add(id);
    // The window is silent at once, without waiting for the daemon.
    if (seat.get().id === id) this.#leave();
    await call("call.hangup", { id }).then(takeCall, (error: unknown) => {
      if (link.get() === "open") refused(error);
      else this.#endUntold(id, "hangup");
    });
  }

  mute(isMuted: boolean): void {
    const track = this.#tracks.microphone;
    if (track === undefined) {
      if (!isMuted) void this.turnOn("microphone");
      return;
    }
    track.enabled = !isMuted;
    readOut(t(isMuted ? "call.voice.isOff" : "call.voice.isOn"));
    this.#tellTracks();
  }

  deafen(deaf: boolean): void {
    this.#mesh.deafen(deaf);
    show({ deaf });
  }

  /** Opens a device for the call, or another one in its place. Another microphone in the place of one that is off is off, too. */
  async turnOn(source: "microphone" | "camera", isMuted = this.#tracks.microphone?.enabled === false): Promise<void> {
    const now = this.#leavings;
    try {
      const track = await open(source, this.#mesh.sizes.camera);
      if (this.#leavings !== now) return track.stop();
      // The voice may have gone off while another microphone opened.
      if (source === "microphone") track.enabled = this.#tracks.microphone?.enabled ?? !isMuted;
      this.#set(source, track);
      noteProblem(source, undefined);
    } catch (error) {
      if (this.#leavings === now) noteProblem(source, problemOf(error));
    }
  }

  /** Opens the chosen device again, because another one was chosen or its audio settings have changed. */
  renew(source: "microphone" | "camera"): void {
    if (this.#tracks[source] !== undefined) void this.turnOn(source);
  }

  turnOff(source: Source): void {
    this.#set(source, undefined);
  }

  /** Shows a screen or a window, which the browser lets the user choose. A call shows one at a time. */
  async share(): Promise<void> {
    const now = this.#leavings;
    const mine = find(seat.get().id);
    const other = mine && showsScreen(mine);
    if (other !== undefined) return notify(t("call.screen.other", { name: nameOf(other.account) }));
    const { width, height, rate } = this.#mesh.sizes.screen;
    const stream = await navigator.mediaDevices.getDisplayMedia({ video: { width: { max: width }, height: { max: height }, frameRate: rate } }).catch(() => null);
    const [track] = stream?.getVideoTracks() ?? [];
    if (track === undefined) return;
    track.contentHint = "detail";
    if (this.#leavings === now && seat.get().id !== null) this.#set("screen", track);
    else track.stop();
  }
}

export const activeCall = new ActiveCall();
