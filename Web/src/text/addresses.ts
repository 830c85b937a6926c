// Links to people's e-mail addresses and telephone numbers. Basics/EmailAddress has the same rule in the daemon.

/** Bytes of an address, of what stands before its `@`, and of one label of its domain. */
const ADDRESS = 254;
const LOCAL = 64;
const LABEL = 63;

const word = /^[\p{L}\p{Mn}\p{Mc}\p{Nd}!#$%&'*+\-/=?^_`{|}~]+$/u;
const label = /^[\p{L}\p{Mn}\p{Mc}\p{Nd}-]+$/u;
const unseen = /\p{Default_Ignorable_Code_Point}/u;
const number = /^\+\d{5,15}$/;
const bytes = (text: string): number => new TextEncoder().encode(text).length;

/** Whether a text is an e-mail address, and nothing more. */
export function isAddress(text: string): boolean {
  // A unit has at least one byte.
  if (text.length > ADDRESS || bytes(text) > ADDRESS || unseen.test(text)) return false;
  const [local = "", domain, ...more] = text.split("@");
  if (domain === undefined || more.length > 0 || local.startsWith("-") || bytes(local) > LOCAL) return false;
  return local.split(".").every((one) => word.test(one))
    && domain.split(".").every((one) => label.test(one) && bytes(one) <= LABEL && !one.startsWith("-") && !one.endsWith("-"));
}

/** All but the unreserved characters of RFC 3986 §2.3 encoded. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** A link that writes to an address; null if it is none. */
export function mailLink(address: string): string | null {
  if (!isAddress(address)) return null;
  const at = address.indexOf("@");
  return `mailto:${encoded(address.slice(0, at))}@${encoded(address.slice(at + 1))}`;
}

/** A link that calls an international number; null if it is none. */
export const phoneLink = (phone: string): string | null => (number.test(phone) ? `tel:${phone}` : null);

/**
 * What a link in a text may set beside its addresses, each with what it may not contain: no field attaches a file or writes to
 * somebody in secret. A subject is one line, because a second line could be another field of the mail's head.
 */
const fields = new Map([
  ["subject", /[\p{Cc}\p{Zl}\p{Zp}]/u],
  ["body", /[^\P{Cc}\t\r\n]|\r(?!\n)|[\p{Zl}\p{Zp}]/u],
]);

/** A mail link out of a text, written again from the parts that are known; null if it names no address, or something that is none. */
export function knownMailLink(text: string): string | null {
  const [, to = "", query = ""] = /^mailto:([^?#]*)(?:\?([^#]*))?/i.exec(text) ?? [];
  try {
    const addresses = to.split(",").map((one) => mailLink(decodeURIComponent(one))?.slice("mailto:".length));
    if (addresses.includes(undefined)) return null;
    const kept = query.split("&").flatMap((field) => {
      const [name = "", value = ""] = field.split(/=(.*)/s);
      const known = name.toLowerCase();
      const bad = fields.get(known);
      if (bad === undefined) return [];
      const words = decodeURIComponent(value);
      return bad.test(words) ? [] : [`${known}=${encoded(words.replace(/\r?\n/g, "\r\n"))}`];
    });
    return `mailto:${addresses.join(",")}${kept.length === 0 ? "" : `?${kept.join("&")}`}`;
  } catch {
    // A percent sign that encodes nothing.
    return null;
  }
}
