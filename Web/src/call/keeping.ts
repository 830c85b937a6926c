// A window keeps two things of its seat over a reload: the seat's name, and the certificate, which is made once for each call.

/** The certificate that proves this window to the other ones. */
export interface Proof {
  certificate: RTCCertificate;
  /** Its SHA-256 as 32 pairs of hexadecimal digits with colons between them. */
  fingerprint: string;
}

const NAME = "kibo.seat";
/** How long the window waits for its name, in ms: the page before a reload holds it until it is gone. */
const WAIT = 1500;

/** Makes a UUID of version 7. */
function made(): string {
  const hex = Date.now().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

async function claimed(name: string): Promise<boolean> {
  return new Promise((done) => {
    const giveUp = new AbortController();
    setTimeout(() => giveUp.abort(), WAIT);
    navigator.locks.request(`kibo.seat.${name}`, { signal: giveUp.signal }, () => {
      done(true);
      return new Promise<never>(() => undefined);
    }).catch(() => done(false));
  });
}

async function named(): Promise<string> {
  let name = sessionStorage.getItem(NAME);
  // A duplicated tab has the name of another one that is still open.
  if (name === null || !(await claimed(name))) {
    name = made();
    void claimed(name);
  }
  sessionStorage.setItem(NAME, name);
  return name;
}

/** The id that this window has made up for itself. */
export const ownSeat: Promise<string> = named();

function opened(): Promise<IDBDatabase> {
  return new Promise((done, failed) => {
    const request = indexedDB.open("kibo.calls", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("proofs");
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

async function inStore<T>(work: (proofs: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await opened();
  return new Promise<T>((done, failed) => {
    const request = work(database.transaction("proofs", "readwrite").objectStore("proofs"));
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  }).finally(() => database.close());
}

/** Reads the fingerprint from a session description, as not every browser tells that of a certificate. */
async function fingerprintOf(certificate: RTCCertificate): Promise<string> {
  const connection = new RTCPeerConnection({ certificates: [certificate], iceServers: [] });
  connection.addTransceiver("audio");
  const { sdp } = await connection.createOffer();
  connection.close();
  return /^a=fingerprint:sha-256 ([\dA-F:]{95})\s*$/im.exec(sdp ?? "")?.[1] ?? "";
}

/** Returns the certificate for the call that this window carries; it is made if there is none. */
export async function proof(): Promise<Proof> {
  const seat = await ownSeat;
  const kept = await inStore<Proof | undefined>((proofs) => proofs.get(seat)).catch(() => undefined);
  if (kept !== undefined) return kept;
  const certificate = await RTCPeerConnection.generateCertificate({ name: "ECDSA", namedCurve: "P-256" } as EcKeyGenParams);
  const fresh = { certificate, fingerprint: await fingerprintOf(certificate) };
  await inStore((proofs) => proofs.put(fresh, seat)).catch(() => undefined);
  return fresh;
}

/** Forgets the certificate, because the call is over and the next one has its own. */
export const forgetProof = (): Promise<unknown> => ownSeat.then((seat) => inStore((proofs) => proofs.delete(seat))).catch(() => undefined);
