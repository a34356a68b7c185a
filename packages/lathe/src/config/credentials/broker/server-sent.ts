// Reads the data of server-sent events from the bytes of a response. Names, numbers and comments are skipped.

const MOST_CHARACTERS = 16 << 20;

/**
 * Yields complete events only: an event that is cut off at the end counts as not sent. `onLife` is called when bytes
 * arrive.
 */
export async function* eventsIn(body: AsyncIterable<Uint8Array>, onLife: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let data: string[] = [];
  let rest = "";
  for await (const bytes of body) {
    onLife();
    // A carriage return at the end may be half of a line break.
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, value] = /^data: ?(.*)$/s.exec(line) ?? [];
      if (value !== undefined) data.push(value);
      if (line !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
    if (rest.length + data.reduce((sum, { length }) => sum + length, 0) > MOST_CHARACTERS)
      throw new Error("an event of its stream is too long");
  }
}
