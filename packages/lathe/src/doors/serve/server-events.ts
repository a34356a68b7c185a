// Server-sent events out of a stream of bytes, in a browser as in Node: the number and the data of each. Comments, which keep a
// connection alive, and other fields are passed over.

/** One event of the stream; `id` is the last number that the server gave. */
export interface ServerEvent {
  readonly id: string;
  readonly data: string;
}

/** Whole events only: what is cut off at the end of the stream was never sent. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const open = { id: "", data: [] as string[] };
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      // A carriage return at the end may be half of a line end.
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line !== "") takeField(line, open);
        else if (open.data.length > 0) {
          yield { id: open.id, data: open.data.join("\n") };
          open.data = [];
        }
      }
    }
  } finally {
    await reader.cancel();
  }
}

function takeField(line: string, open: { id: string; data: string[] }): void {
  const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  if (name === "data") open.data.push(value);
  else if (name === "id") open.id = value;
}
