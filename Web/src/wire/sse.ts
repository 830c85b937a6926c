// Reads server-sent events from a stream of bytes.

/** One block of a stream: what its `event:`, `id:` and `data:` lines say. */
export interface Block {
  event: string;
  id: string;
  data: string;
}

/** Takes text as it comes, in any pieces, and hands out each block that is whole. */
export class BlockReader {
  #rest = "";
  #event = "message";
  #id = "";
  #data: string[] = [];

  take(text: string, whole: (block: Block) => void): void {
    this.#rest += text;
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end < 0) return;
      const line = this.#rest.slice(0, end).replace(/\r$/, "");
      this.#rest = this.#rest.slice(end + 1);
      this.#line(line, whole);
    }
  }

  #line(line: string, whole: (block: Block) => void): void {
    if (line === "") {
      if (this.#data.length > 0) whole({ event: this.#event, id: this.#id, data: this.#data.join("\n") });
      this.#event = "message";
      this.#id = "";
      this.#data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id") this.#id = value;
  }
}
