// Parses server-sent events from a stream of bytes, in browsers and in Node: the id and data of each. Comments and
// other fields are skipped.

/** One event of the stream; `id` is the last one that the server has sent. */
export interface ServerEvent {
  readonly id: string;
  readonly data: string;
}

/** Yields only complete events; one that is cut off at the end is dropped. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const open = { id: "", data: [] as string[] };
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      // A carriage return at the end may be the first half of a line break.
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
