// The connections of a call: one with each other device, the audio that comes through them, and which devices speak.
import { Loudspeaker } from "./loudspeaker";
import { Peer } from "./peer";
import type { PeerEnds, Source, Tracks } from "./peer";
import { seat, show, speaking } from "./seat";
import type { Tie } from "./seat";
import { sizesFor } from "./sizes";
import type { Sizes } from "./sizes";
import { LISTEN, Speakers } from "./speaking";

/** How long a connection may take before the user is told that there is none, in ms. */
const PATIENCE = 20_000;

/** What a report tells the daemon about a connection. */
export interface Told {
  device: string;
  state: RTCPeerConnectionState;
  rtt: number;
  lost: number;
  jitter: number;
}

export class Mesh {
  readonly #peers = new Map<string, Peer>();
  /** When a connection with each device was first begun. */
  readonly #begun = new Map<string, number>();
  readonly #loudspeaker = new Loudspeaker((silent) => show({ silent }));
  readonly #connected: () => void;
  #speakers = new Speakers();
  #listening: ReturnType<typeof setInterval> | undefined;
  #quality = new Map<string, { lost: number; rtt: number }>();
  #sizes: Sizes = sizesFor(2, false);
  /** Whether a connection of this call was refused at some time. It may be another one by now, or gone: the other side leaves before the call ends. */
  #wasRefused = false;

  /** @param connected called when a connection has been established */
  constructor(connected: () => void) {
    this.#connected = connected;
  }

  get sizes(): Sizes {
    return this.#sizes;
  }

  get(device: string): Peer | undefined {
    return this.#peers.get(device);
  }

  /** When something last came from another window, by the clock here; null while there is no other. */
  async heardAt(): Promise<number | null> {
    return this.#peers.size === 0 ? null : Math.max(...(await Promise.all([...this.#peers.values()].map((peer) => peer.heardAt()))));
  }

  /** Whether the browser has named no address for one of the connections. */
  get isNameless(): boolean {
    return [...this.#peers.values()].some((peer) => peer.isNameless);
  }

  /** Whether a browser has refused the certificate of another one, in this call. */
  get isRefused(): boolean {
    this.#noteRefusals();
    return this.#wasRefused;
  }

  #noteRefusals(): void {
    this.#wasRefused ||= [...this.#peers.values()].some((peer) => peer.isRefused);
  }

  /** Looks for new ways, because the addresses of this host have changed. */
  move(): void {
    for (const peer of this.#peers.values()) peer.move();
  }

  /** Begins a connection with a device; an earlier one with it ends. */
  connect(device: string, theirs: number, own: { certificate: RTCCertificate; offers: boolean; tracks: Tracks; ready: Promise<unknown> }, ends: Omit<PeerEnds, "changed">): Peer {
    this.#noteRefusals();
    this.#peers.get(device)?.close();
    const peer: Peer = new Peer(theirs, own.certificate, own.offers, own.tracks, this.#sizes, own.ready, {
      ...ends,
      changed: () => {
        if (this.#peers.get(device) !== peer) return;
        this.#show();
        if (peer.state === "connected") this.#connected();
      },
    });
    this.#peers.set(device, peer);
    if (!this.#begun.has(device)) this.#begun.set(device, Date.now());
    this.#listening ??= setInterval(() => this.#listen(), LISTEN);
    this.#show();
    return peer;
  }

  /** Ends the connections with all devices but these. */
  keep(devices: ReadonlySet<string>): void {
    const gone = [...this.#peers].filter(([device]) => !devices.has(device));
    this.#noteRefusals();
    for (const [device, peer] of gone) {
      peer.close();
      this.#peers.delete(device);
      this.#loudspeaker.hear(device, null);
      this.#quality.delete(device);
      this.#begun.delete(device);
    }
    if (gone.length > 0) this.#show();
  }

  close(): void {
    this.keep(new Set());
    this.#wasRefused = false;
    this.#loudspeaker.close();
    this.#speakers = new Speakers();
    this.#sizes = sizesFor(2, false);
    clearInterval(this.#listening);
    this.#listening = undefined;
    speaking.set(new Set());
  }

  /** Sends another track to all devices, or none. */
  replace(source: Source, track: MediaStreamTrack | undefined): void {
    for (const peer of this.#peers.values()) peer.replace(source, track);
  }

  /** Chooses the sizes of video for so many people, and returns whether they have changed. */
  resize(people: number, showsScreen: boolean): boolean {
    const sizes = sizesFor(people, showsScreen);
    if (sizes.camera === this.#sizes.camera && sizes.screen === this.#sizes.screen) return false;
    this.#sizes = sizes;
    this.fit();
    return true;
  }

  /** Tells the senders how large the video is to be, by the size that the tracks have now. */
  fit(): void {
    for (const peer of this.#peers.values()) peer.resize(this.#sizes);
  }

  deafen(isDeaf: boolean): void {
    this.#loudspeaker.deafen(isDeaf);
  }

  moveLoudspeaker(): void {
    this.#loudspeaker.move();
  }

  /** Measures each connection, for the daemon's report and for what this window shows. */
  async report(): Promise<Told[]> {
    const told = await Promise.all([...this.#peers].map(async ([device, peer]) => ({ device, state: peer.state, ...(await peer.quality()) })));
    this.#quality = new Map(told.map(({ device, lost, rtt }) => [device, { lost, rtt }]));
    this.#show();
    return told;
  }

  #listen(): void {
    const levels = new Map([...this.#peers].flatMap(([device, peer]) => (peer.state === "connected" ? [[device, peer.level()] as const] : [])));
    speaking.set(this.#speakers.take(levels, Date.now()));
  }

  #show(): void {
    this.#noteRefusals();
    const before = seat.get().ties;
    const ties = new Map<string, Tie>();
    for (const [device, peer] of this.#peers) {
      const was = before.get(device);
      const isNew = was === undefined || was.state === "connecting" || was.state === "failed" || was.state === "refused";
      const isLate = Date.now() - (this.#begun.get(device) ?? 0) > PATIENCE;
      const state = peer.state === "connected" ? "connected" : peer.isRefused ? "refused" : !isNew ? "broken" : isLate ? "failed" : "connecting";
      const { lost, rtt } = this.#quality.get(device) ?? { lost: 0, rtt: 0 };
      const { camera, screen } = peer;
      // A tie that hasn't changed stays the same object, so that nothing is redrawn.
      ties.set(device, was !== undefined && was.state === state && was.lost === lost && was.rtt === rtt && was.camera === camera && was.screen === screen ? was : { state, lost, rtt, camera, screen });
      this.#loudspeaker.hear(device, peer.audio);
    }
    if (ties.size !== before.size || [...ties].some(([device, tie]) => before.get(device) !== tie)) show({ ties });
  }
}
