// The connection to one other window: microphone, camera and screen, always in this order, so that what is switched on or off needs no new description.
import type { CallSignal } from "../contract/types";
import { encodingFor } from "./sizes";
import type { Sizes } from "./sizes";

export type Source = "microphone" | "camera" | "screen";
export const sources: readonly Source[] = ["microphone", "camera", "screen"];
export type Tracks = Partial<Record<Source, MediaStreamTrack>>;

interface Signal {
  kind: CallSignal["kind"];
  sdp?: string;
  candidates?: string[];
}

export interface PeerEnds {
  say(signal: Signal): Promise<void>;
  /** Is called when something has changed that is to be shown or reported. */
  changed(): void;
  /** Returns whether the other side says that it sends nothing, so that no media can come. */
  isQuiet(): boolean;
}

/** Candidates that come within this time are sent together, in ms. */
const BATCH = 50;
/** The most bits of audio that are sent in a second. */
const AUDIO = 48_000;
/** How long this side waits for a connection that is broken or has not been established, before it looks for a new route, in ms. */
const PATIENCE = 3000;
/** How many times longer it waits at most if several new routes have failed: a slow connection must not be restarted again and again. */
const SLOWEST = 4;
/** How often this side checks whether anything comes over a new route. A connection may claim to be up although nothing comes. */
const LOOKS = 5;
/** The time from one such series of looks to the next, in ms: where the other side sends nothing, the looks end. */
const DOUBT = 30_000;
/** How long this side waits for an answer before it makes another offer, in ms: answers don't say to which offer they belong. */
const ANSWER = 10_000;
/** How often this side checks whether media come over an established connection, in ms. */
const PROOF = 50;
/** How long a connection has to stand to count where the other side sends nothing, in ms. A refusal comes sooner. */
const QUIET = 2000;

export class Peer {
  readonly #pc: RTCPeerConnection;
  readonly #ends: PeerEnds;
  readonly #offers: boolean;
  readonly #tracks: Tracks;
  #sizes: Sizes;
  #theirs: number;
  #waiting: string[] = [];
  #batch: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  /** The work that is under way: it handles one description at a time, and signals in their order. */
  #turn: Promise<unknown>;
  #before = { lost: 0, received: 0 };
  /** The time of the packet whose level was last told. */
  #levelAt = 0;
  /** When the offer that has no answer yet was made, by the clock here; and whether another one is to follow it. */
  #offered: number | null = null;
  #isDue = false;
  /** How many new ways were begun since there was a connection, or since a host had other addresses. */
  #tries = 0;
  /** How many looks are left for whether anything comes, and how many packets had come at the last one. */
  #looks = 0;
  #came = 0;
  #doubted = 0;
  /**
   * Whether something has come that only the other window can have sent. The browser says that it is connected up to 50 ms before the other one
   * refuses its certificate.
   */
  #isThrough = false;
  #proving: ReturnType<typeof setTimeout> | undefined;
  /** The media that come in: there are none before both sides have agreed on the keys. */
  audio: MediaStream | null = null;
  camera: MediaStream | null = null;
  screen: MediaStream | null = null;
  #hasNamed = false;
  /** How much had come from the other side at the last look: bytes, and answers to the browser's own checks. */
  #arrived = 0;
  #heardAt = Date.now();

  /**
   * @param theirs the generation of the other side's seat; 0 while it rings there
   * @param offers whether this side has the smaller device id
   * @param ready settles before anything is described: a browser that has opened a device tells its addresses
   */
  constructor(theirs: number, certificate: RTCCertificate, offers: boolean, tracks: Tracks, sizes: Sizes, ready: Promise<unknown>, ends: PeerEnds) {
    this.#theirs = theirs;
    this.#turn = ready;
    this.#ends = ends;
    this.#offers = offers;
    this.#tracks = { ...tracks };
    this.#sizes = sizes;
    this.#pc = new RTCPeerConnection({ certificates: [certificate], iceServers: [], bundlePolicy: "max-bundle" });
    this.#pc.onicecandidate = ({ candidate }) => {
      if (candidate === null || candidate.candidate === "") return;
      this.#hasNamed = true;
      this.#waiting.push(candidate.candidate);
      this.#batch ??= setTimeout(() => this.#sendCandidates(), BATCH);
    };
    this.#pc.onconnectionstatechange = () => this.#changed();
    if (offers) {
      for (const source of sources) this.#pc.addTransceiver(source === "microphone" ? "audio" : "video", { direction: "sendrecv" });
      this.#offer();
    } else this.#lookAgain();
  }

  /** What the browser says of the connection; it counts as connected only once something has come by it. */
  get state(): RTCPeerConnectionState {
    const { connectionState } = this.#pc;
    return connectionState === "connected" && !this.#isThrough ? "connecting" : connectionState;
  }

  /** Whether the browser has looked for addresses and named none: while no device is allowed, it names none on a host without a route to elsewhere. */
  get isNameless(): boolean {
    return !this.#hasNamed && this.#pc.iceGatheringState === "complete";
  }

  /** Whether one of the two browsers has refused the certificate of the other. No new way changes that. */
  get isRefused(): boolean {
    return !this.#isThrough && this.#pc.getTransceivers().some(({ sender }) => sender.transport?.state === "failed");
  }

  /** The generation of the other side's seat that this connection is for. */
  get theirs(): number {
    return this.#theirs;
  }

  /** Returns how loud the newest packet of the other side is, between 0 and 1; 0 if it is the one of the last call. */
  level(): number {
    const [audio] = this.#pc.getReceivers();
    const [newest] = (audio?.getSynchronizationSources() ?? []).sort((a, b) => b.timestamp - a.timestamp);
    // When audio stops coming, the browser tells its last packet for seconds.
    if (newest === undefined || newest.timestamp === this.#levelAt) return 0;
    this.#levelAt = newest.timestamp;
    return newest.audioLevel ?? 0;
  }

  /** Notes that the other side has answered with its first seat, for which the offer was sent while it rang. */
  answered(): void {
    this.#theirs = 1;
    // The time to wait for its answer begins now.
    if (this.#offered !== null) this.#offered = Date.now();
    this.#lookAgain();
  }

  /** Sends larger or smaller video from now on. */
  resize(sizes: Sizes): void {
    this.#sizes = sizes;
    this.#inTurn(async () => {
      for (const [index, { sender }] of this.#pc.getTransceivers().entries()) await this.#limit(sender, sources[index] ?? "microphone");
    });
  }

  take(signal: Pick<CallSignal, "kind" | "candidates"> & { sdp?: string | null | undefined }): void {
    if (signal.kind === "restart") {
      if (this.#offers) this.#offer(true);
      return;
    }
    this.#inTurn(async () => {
      if (signal.kind === "candidates") {
        for (const candidate of signal.candidates) await this.#pc.addIceCandidate({ candidate, sdpMLineIndex: 0 }).catch(() => undefined);
        return;
      }
      await this.#pc.setRemoteDescription({ type: signal.kind === "offer" ? "offer" : "answer", sdp: signal.sdp ?? "" });
      if (signal.kind !== "offer") {
        this.#offered = null;
        if (this.#isDue) this.#offer(true);
        // The two have agreed on a connection: this side waits for it before it begins another.
        else this.#lookAgain();
        return;
      }
      for (const one of this.#pc.getTransceivers()) one.direction = "sendrecv";
      await this.#send();
      const answer = await this.#pc.createAnswer();
      await this.#ends.say({ kind: "answer", sdp: answer.sdp ?? "" });
      await this.#pc.setLocalDescription(answer);
      this.#doubt();
      this.#lookAgain();
    });
  }

  /** Sends another track, or none. */
  replace(source: Source, track: MediaStreamTrack | undefined): void {
    if (track === undefined) delete this.#tracks[source];
    else this.#tracks[source] = track;
    const at = this.#pc.getTransceivers()[sources.indexOf(source)];
    if (at === undefined) return;
    at.sender.replaceTrack(track ?? null).then(() => this.#inTurn(() => this.#limit(at.sender, source)), () => undefined);
  }

  /** Looks for a new route at once, because this host's addresses have changed, whatever the connection says about itself. */
  move(): void {
    if (this.#theirs === 0) {
      // The other side has no window yet that could answer: the new way is offered once it has answered the call.
      this.#isDue = true;
      return;
    }
    this.#doubted = 0;
    this.#tries = 0;
    this.#doubt();
    this.#restart();
  }

  /** Returns round trip and jitter in ms, and how many of a hundred packets of audio were lost since the last call. */
  async quality(): Promise<{ rtt: number; jitter: number; lost: number }> {
    let [rtt, jitter, lost, received] = [0, 0, 0, 0];
    for (const one of (await this.#pc.getStats()).values()) {
      if (one.type === "candidate-pair" && one.nominated === true) rtt = (one.currentRoundTripTime ?? 0) * 1000;
      if (one.type === "inbound-rtp" && one.kind === "audio") {
        jitter = (one.jitter ?? 0) * 1000;
        [lost, received] = [one.packetsLost ?? 0, one.packetsReceived ?? 0];
      }
    }
    const [gone, came] = [lost - this.#before.lost, received - this.#before.received];
    this.#before = { lost, received };
    return { rtt: Math.round(rtt), jitter: Math.round(jitter), lost: gone > 0 ? Math.round((100 * gone) / (gone + Math.max(0, came))) : 0 };
  }

  /** When something last came from the other side, by the clock here; as exact as this is called often. */
  async heardAt(): Promise<number> {
    let arrived = 0;
    for (const one of (await this.#pc.getStats()).values()) {
      if (one.type === "candidate-pair") arrived += (one.bytesReceived ?? 0) + (one.responsesReceived ?? 0);
    }
    // A path that the browser gives up takes its bytes out of the sum.
    if (arrived > this.#arrived) this.#heardAt = Date.now();
    this.#arrived = arrived;
    return this.#heardAt;
  }

  close(): void {
    clearTimeout(this.#batch);
    clearTimeout(this.#again);
    clearTimeout(this.#proving);
    this.#pc.onconnectionstatechange = null;
    this.#pc.onicecandidate = null;
    this.#pc.close();
  }

  #inTurn(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(async () => {
      if (this.#pc.signalingState !== "closed") await work();
    }).catch(() => this.#lookAgain());
  }

  /** Whether an offer waits for its answer. */
  get #isOffered(): boolean {
    return this.#offered !== null && Date.now() - this.#offered < ANSWER;
  }

  #offer(iceRestart = false): void {
    this.#inTurn(async () => {
      this.#isDue = this.#isOffered;
      if (this.#isDue) return;
      await this.#send();
      const offer = await this.#pc.createOffer({ iceRestart });
      await this.#ends.say({ kind: "offer", sdp: offer.sdp ?? "" });
      await this.#pc.setLocalDescription(offer);
      this.#offered = Date.now();
      if (iceRestart) this.#doubt();
    });
    this.#lookAgain();
  }

  async #send(): Promise<void> {
    for (const [index, { sender }] of this.#pc.getTransceivers().entries()) {
      const source = sources[index] ?? "microphone";
      await sender.replaceTrack(this.#tracks[source] ?? null);
      await this.#limit(sender, source);
    }
  }

  /** Tells a sender how much it may send. */
  async #limit(sender: RTCRtpSender, source: Source): Promise<void> {
    const parameters = sender.getParameters();
    const encoding = source === "microphone" ? { maxBitrate: AUDIO } : encodingFor(this.#sizes[source], this.#tracks[source]?.getSettings() ?? {});
    for (const one of parameters.encodings) Object.assign(one, encoding);
    if (parameters.encodings.length > 0) await sender.setParameters(parameters).catch(() => undefined);
  }

  #sendCandidates(): void {
    this.#batch = undefined;
    const lines = this.#waiting.splice(0, 64);
    // The candidates follow the description that they belong to.
    this.#inTurn(() => this.#ends.say({ kind: "candidates", candidates: lines }));
  }

  #changed(): void {
    const state = this.#pc.connectionState;
    if (state === "connected") {
      this.#tries = 0;
      if (this.#looks === 0) clearTimeout(this.#again);
      if (!this.#isThrough) void this.#prove(Date.now());
    } else if (state === "failed") this.#restart();
    else if (state === "disconnected") this.#lookAgain();
    this.#ends.changed();
  }

  /** Looks again and again whether something has come by the connection that stands since a moment, and then takes its media. */
  async #prove(since: number): Promise<void> {
    const hasCome = await this.#hasCome();
    if (this.#isThrough || this.#pc.connectionState !== "connected" || this.isRefused) return;
    if (!hasCome && !(this.#ends.isQuiet() && Date.now() - since >= QUIET)) {
      clearTimeout(this.#proving);
      this.#proving = setTimeout(() => void this.#prove(since), PROOF);
      return;
    }
    this.#isThrough = true;
    [this.audio = null, this.camera = null, this.screen = null] = this.#pc.getTransceivers().map(({ receiver }) => new MediaStream([receiver.track]));
    this.#ends.changed();
  }

  /** Returns whether the other window has sent media, or has reported on those of this one. */
  async #hasCome(): Promise<boolean> {
    for (const one of (await this.#pc.getStats()).values()) {
      if (one.type === "remote-inbound-rtp" || (one.type === "inbound-rtp" && (one.packetsReceived ?? 0) > 0)) return true;
    }
    return false;
  }

  /** Looks a moment later whether there is a connection, and after a new beginning whether anything comes by it. */
  #lookAgain(): void {
    clearTimeout(this.#again);
    // While the call rings there, the other side has no window that could answer.
    if (this.#theirs === 0) return;
    this.#again = setTimeout(() => void this.#look(), PATIENCE * Math.min(SLOWEST, Math.max(1, this.#tries)));
  }

  #doubt(): void {
    if (Date.now() - this.#doubted < DOUBT) return;
    this.#doubted = Date.now();
    this.#looks = LOOKS;
    void this.#received().then((came) => {
      this.#came = came;
    });
    this.#lookAgain();
  }

  async #look(): Promise<void> {
    const came = await this.#received();
    const isSilent = came === this.#came;
    this.#came = came;
    if (this.#pc.connectionState !== "connected") this.#tryAgain();
    else if (isSilent && came > 0 && this.#looks > 0) {
      this.#looks -= 1;
      this.#restart();
    } else if (!isSilent) [this.#looks, this.#doubted] = [0, 0];
  }

  /** Starts a new route if the last one was not established. While an offer waits for its answer, that route may still be established. */
  #tryAgain(): void {
    if (this.#isOffered) return this.#lookAgain();
    this.#tries += 1;
    this.#restart();
  }

  /** Returns how many packets have come. */
  async #received(): Promise<number> {
    let sum = 0;
    for (const one of (await this.#pc.getStats()).values()) if (one.type === "inbound-rtp") sum += one.packetsReceived ?? 0;
    return sum;
  }

  #restart(): void {
    if (this.state === "closed" || this.isRefused) return;
    if (this.#offers) this.#offer(true);
    else {
      void this.#ends.say({ kind: "restart" }).catch(() => undefined);
      this.#lookAgain();
    }
  }
}
