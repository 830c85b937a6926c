// Links of accounts, kibo:kibo1…?name=…&addr=…, and addresses, as people paste them.

export interface KiboLink {
  readonly id: string;
  /** The name that the link gives; anybody can write one, so it proves nothing. */
  readonly name: string;
  readonly address: string;
  readonly uri: string;
}

/** The link in a pasted text; null if it is none. */
export function kiboLink(text: string): KiboLink | null {
  const match = /^kibo:(kibo1[a-z0-9]+)(?:\?(\S*))?$/i.exec(text.trim());
  if (match === null) return null;
  const values = new URLSearchParams(match[2] ?? "");
  return { id: (match[1] ?? "").toLowerCase(), name: values.get("name") ?? "", address: values.get("addr") ?? "", uri: text.trim() };
}

/** A longer text is not an address. This limit is needed because patterns for addresses are slow on texts with many colons. */
const LONGEST_ADDRESS = 80;
/** The port on which a daemon listens unless another one is given. */
const PORT = 15426;

/** `192.0.2.1` and `192.0.2.1:15426` as `192.0.2.1:15426`; null if it is no address of numbers. */
export function hostAndPort(text: string): string | null {
  const typed = text.trim();
  if (typed.length > LONGEST_ADDRESS) return null;
  const [, bracketed, bare, port] = /^(?:\[([0-9a-f:.%a-z]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::(\d{1,5}))?$/i.exec(typed) ?? [];
  if (bracketed !== undefined) return `[${bracketed}]:${port ?? PORT}`;
  if (bare !== undefined) return `${bare}:${port ?? PORT}`;
  // An address of IPv6 without brackets has no port.
  return /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(typed) ? `[${typed}]:${PORT}` : null;
}
