/** How long the browser may take to begin with it, in ms. */
const TAKES = 60_000;

/** Hands what was made here to the user as a file. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), TAKES);
}
