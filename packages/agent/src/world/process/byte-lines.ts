// Splits a byte stream into lines, for protocols that send one message per line.

import { EnvError } from "./types.ts";

/** A longer message means that the server is broken. */
const LONGEST_LINE = 64 << 20;

/**
 * Yields lines without their ends (LF or CRLF, or another byte), decoded as UTF-8. Text after the last line end comes
 * last, if there is any.
 */
export async function* byteLines(
  source: AsyncIterable<Uint8Array>,
  longest = LONGEST_LINE,
  lineEnd = 10,
): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (last: Uint8Array): string => {
    const bytes = Buffer.concat([...parts, last]);
    parts = [];
    length = 0;
    return bytes.toString("utf8", 0, bytes.at(-1) === 13 ? bytes.length - 1 : bytes.length);
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, start)) {
      yield take(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > longest) throw new EnvError("io", `A line is longer than ${longest} bytes.`);
  }
  if (length > 0) yield take(new Uint8Array());
}
