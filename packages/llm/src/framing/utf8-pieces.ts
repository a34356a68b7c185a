// Decodes the bytes of one text, split anywhere. A streaming decoder is several times slower than a plain one, and
// nearly every piece ends between two characters, so we use it only if we must.

export class Utf8Pieces {
  /** For the first piece, which may begin with a byte order mark, and around split characters. */
  readonly #streaming = new TextDecoder();
  readonly #whole = new TextDecoder("utf-8", { ignoreBOM: true });
  #remembers = true;

  next(bytes: Uint8Array): string {
    if (bytes.length === 0) return "";
    const remembers = this.#remembers;
    this.#remembers = (bytes[bytes.length - 1] as number) >= 0x80;
    return remembers || this.#remembers ? this.#streaming.decode(bytes, { stream: true }) : this.#whole.decode(bytes);
  }

  /** The remains of a character that never arrived in full. */
  rest(): string {
    return this.#streaming.decode();
  }
}
