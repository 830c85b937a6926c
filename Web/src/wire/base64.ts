// Bytes as letters, for requests.

/** How many bytes are converted at a time: a function can safely take this many arguments. */
const PIECE = 8192;

export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += PIECE) text += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  return btoa(text);
}
