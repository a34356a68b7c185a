// The last bytes of a background command, addressed by their offset in the whole output, for readers that come back.

export class OutputRing {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #start = 0;
  #end = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#end += chunk.length;
    while (this.#chunks.length > 1 && this.#end - this.#start - this.#chunks[0]!.length >= this.#limit) {
      this.#start += this.#chunks.shift()!.length;
    }
  }

  read(from = 0): { text: string; next: number; missed: number } {
    const missed = Math.max(0, this.#start - from);
    const bytes = Buffer.concat(this.#chunks).subarray(Math.max(0, from - this.#start));
    return { text: bytes.toString("utf8"), next: this.#end, missed };
  }
}
