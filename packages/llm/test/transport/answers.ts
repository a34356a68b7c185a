// Random answers that a server may send, together with what a client must make of them.

import fc from "fast-check";

export interface Answer {
  readonly raw: Buffer;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const value = fc.stringMatching(/^[!-~\x80-\xff]([\t -~\x80-\xff]{0,20}[!-~\x80-\xff])?$/);
const field = fc.tuple(
  word.map((name) => `x-${name}`),
  value,
);
const blanks = fc.constantFrom("", " ", "   ");
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array).toString("latin1"));

const head = (status: string, fields: readonly (readonly [string, string])[], space: string) =>
  `HTTP/1.1 ${status}\r\n${fields.map(([name, text]) => `${name}:${space}${text}${space}\r\n`).join("")}\r\n`;

const extension = fc.constantFrom("", ";a", ";a=b", ';a="b"', ";a=b;c=d");
const chunk = fc.tuple(bytes, extension, fc.boolean(), fc.constantFrom("", "0", "00"));

type Framed = readonly [headers: Record<string, string>, wire: string, body: string];

const framings: readonly fc.Arbitrary<Framed>[] = [
  bytes.map((body) => [{ "content-length": String(body.length) }, body, body]),
  bytes.map((body) => [{}, body, body]),
  fc
    .tuple(fc.array(chunk, { maxLength: 6 }), extension, fc.array(field, { maxLength: 2 }))
    .map(([chunks, last, trailers]) => {
      const full = chunks.filter(([data]) => data !== "");
      const wire = full.map(([data, ext, upper, zeros]) => {
        const size = data.length.toString(16);
        return `${zeros}${upper ? size.toUpperCase() : size}${ext}\r\n${data}\r\n`;
      });
      const end = `0${last}\r\n${trailers.map(([name, text]) => `${name}: ${text}\r\n`).join("")}\r\n`;
      const body = full.map(([data]) => data).join("");
      return [{ "transfer-encoding": "chunked" }, wire.join("") + end, body];
    }),
];

const informational = fc
  .tuple(fc.constantFrom("100 Continue", "102 Processing", "103 Early Hints"), fc.array(field, { maxLength: 2 }))
  .map(([status, fields]) => head(status, fields, " "));

export const answers: fc.Arbitrary<Answer> = fc
  .record({
    before: fc.array(informational, { maxLength: 2 }),
    status: fc.constantFrom(200, 201, 400, 404, 429, 500, 529),
    reason: fc.constantFrom("", " ", " OK", " Not quite right"),
    fields: fc.array(field, { maxLength: 5 }),
    connection: fc.constantFrom(undefined, "keep-alive", "close", "Close"),
    space: blanks,
    framed: fc.oneof(...framings),
  })
  .map(({ before, status, reason, fields, connection, space, framed: [framing, wire, body] }) => {
    const all = [...fields, ...Object.entries(framing)];
    if (connection !== undefined) all.push(["connection", connection]);
    const headers: Record<string, string> = {};
    for (const [name, text] of all) headers[name] = name in headers ? `${headers[name]}, ${text}` : text;
    const raw = Buffer.from(`${before.join("")}${head(`${status}${reason}`, all, space)}${wire}`, "latin1");
    return { raw, status, headers, body };
  });

/** The same with a few bytes changed, removed or inserted: mostly where it hurts. */
export const damaged: fc.Arbitrary<Buffer> = fc
  .tuple(
    answers,
    fc.array(
      fc.record({
        at: fc.nat(),
        drop: fc.nat({ max: 2 }),
        put: fc.constantFrom("", "\r", "\n", "\r\n", " ", ":", "0", "1", "9", "f", "x", ";", ",", "\0", "\x7f", "\xff"),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([{ raw }, edits]) => {
    let text = raw.toString("latin1");
    for (const { at, drop, put } of edits) {
      const place = at % (text.length + 1);
      text = text.slice(0, place) + put + text.slice(place + drop);
    }
    return Buffer.from(text, "latin1");
  });
