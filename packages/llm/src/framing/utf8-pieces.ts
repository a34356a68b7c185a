// Bytes of one text, split anywhere, as text. A decoder that has to remember half a character is several times slower than one that
// has not, and nearly every piece ends between two characters.

export class Utf8Pieces {
  /** For the first piece, which may begin with a byte order mark, and around characters that were split. */
  readonly #streaming = new TextDecoder();
  readonly #whole = new TextDecoder("utf-8", { ignoreBOM: true });
  #remembers = true;

  next(bytes: Uint8Array): string {
    if (bytes.length === 0) return "";
    const remembers = this.#remembers;
    this.#remembers = (bytes[bytes.length - 1] as number) >= 0x80;
    return remembers || this.#remembers ? this.#streaming.decode(bytes, { stream: true }) : this.#whole.decode(bytes);
  }

  /** What is left of a character that never came whole. */
  rest(): string {
    return this.#streaming.decode();
  }
}
