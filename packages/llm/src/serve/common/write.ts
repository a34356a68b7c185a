// Writes answers. A model's text becomes part of a line only as JSON, which contains no line breaks, so nothing that a
// model or a tool says can start an event.

/** One event of a stream. `data` is JSON that we have written. */
export const sse = (data: string, event?: string): string =>
  event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;

/** A comment that keeps a silent stream open, for clients that have no event for it. */
export const SSE_COMMENT = ": waiting for the model\n\n";

/** Pieces of one text. A character that was cut in half between two pieces is written whole, with the second piece. */
export class Pieces {
  #half = "";

  /** The text that can be written now. */
  next(piece: string): string {
    const text = this.#half === "" ? piece : this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    if (!(last >= 0xd800 && last <= 0xdbff)) {
      this.#half = "";
      return text;
    }
    this.#half = text.slice(-1);
    return text.slice(0, -1);
  }
}
