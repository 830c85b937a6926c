// Bytes as letters, for requests.

/** Bytes that become characters at once: a call takes so many arguments safely. */
const PIECE = 8192;

export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += PIECE) text += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  return btoa(text);
}
