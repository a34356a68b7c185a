import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32 } from "../../src/framing/crc32.ts";
import { createFramer } from "../../src/framing/framer.ts";
import { StreamError } from "../../src/types/errors.ts";
import type { Frame, FramingKind } from "../../src/types/protocol.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

function frames(kind: FramingKind, bytes: Uint8Array, size: number): Frame[] {
  const seen: Frame[] = [];
  const framer = createFramer(kind, (frame) => seen.push({ ...frame }));
  for (let at = 0; at < bytes.length; at += size) framer.push(bytes.subarray(at, at + size));
  framer.end();
  return seen.map(({ event, data, exception }) => ({
    data,
    ...(event === undefined ? {} : { event }),
    ...(exception === undefined ? {} : { exception }),
  }));
}

const FIXTURES: readonly { name: string; kind: FramingKind; bytes: Uint8Array; expected: Frame[] }[] = [
  {
    name: "LF lines, event names, comments, ids and retry",
    kind: "sse",
    bytes: utf8(': hi\n\nevent: a\ndata: {"x":1}\nid: 7\nretry: 10\n\ndata:no space\n\n'),
    expected: [{ event: "a", data: '{"x":1}' }, { data: "no space" }],
  },
  {
    name: "CRLF and several data lines",
    kind: "sse",
    bytes: utf8("data: one\r\ndata: two\r\n\r\nevent: e\r\ndata: ü€😀\r\n\r\n"),
    expected: [{ data: "one\ntwo" }, { event: "e", data: "ü€😀" }],
  },
  { name: "CR alone", kind: "sse", bytes: utf8("data: a\r\rdata: b\r\r"), expected: [{ data: "a" }, { data: "b" }] },
  {
    name: "a BOM, and a last event without its blank line",
    kind: "sse",
    bytes: new Uint8Array([0xef, 0xbb, 0xbf, ...utf8("data: first\n\ndata: last")]),
    expected: [{ data: "first" }, { data: "last" }],
  },
  {
    name: "lines with CRLF, blanks and no final newline",
    kind: "ndjson",
    bytes: utf8('{"a":1}\r\n\n{"b":"😀"}\n  {"c":3}'),
    expected: [{ data: '{"a":1}' }, { data: '{"b":"😀"}' }, { data: '{"c":3}' }],
  },
  {
    name: "binary frames",
    kind: "aws-event-stream",
    bytes: new Uint8Array([
      ...awsFrame({ ":event-type": "messageStart", ":message-type": "event" }, '{"role":"assistant"}'),
      ...awsFrame({ ":event-type": "contentBlockDelta" }, '{"delta":{"text":"ü😀"}}'),
      ...awsFrame({ ":exception-type": "throttlingException", ":message-type": "exception" }, '{"message":"slow"}'),
    ]),
    expected: [
      { event: "messageStart", data: '{"role":"assistant"}' },
      { event: "contentBlockDelta", data: '{"delta":{"text":"ü😀"}}' },
      { exception: "throttlingException", data: '{"message":"slow"}' },
    ],
  },
];

describe.each(FIXTURES)("framing: $name", ({ kind, bytes, expected }) => {
  it("AD-02 A-308 every chunk size from 1 to 64 gives the same frames", () => {
    for (let size = 1; size <= 64; size++) expect(frames(kind, bytes, size), `size ${size}`).toEqual(expected);
  });

  it("AD-02 any cut gives the same frames", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const seen: Frame[] = [];
        const framer = createFramer(kind, (frame) => seen.push(frame));
        let from = 0;
        for (const cut of [...cuts].sort((a, b) => a - b)) {
          framer.push(bytes.subarray(from, cut));
          from = cut;
        }
        framer.push(bytes.subarray(from));
        framer.end();
        expect(seen.map((frame) => frame.data)).toEqual(expected.map((frame) => frame.data));
      }),
    );
  });
});

describe("AWS frames", () => {
  it("AD-02 a flipped bit anywhere is a StreamError", () => {
    const good = awsFrame({ ":event-type": "messageStop" }, '{"stopReason":"end_turn"}');
    for (let bit = 0; bit < good.length * 8; bit += 3) {
      const bad = good.slice();
      bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const seen: Frame[] = [];
      const framer = createFramer("aws-event-stream", (frame) => seen.push(frame));
      expect(() => {
        framer.push(bad);
        framer.end();
      }, `bit ${bit}`).toThrow(StreamError);
      expect(seen).toEqual([]);
    }
  });

  it("AD-02 a stream cut inside a frame is a StreamError", () => {
    const framer = createFramer("aws-event-stream", () => {});
    framer.push(awsFrame({}, "{}").subarray(0, 9));
    expect(() => framer.end()).toThrow(StreamError);
  });

  it("AD-02 the checksum is the standard one", () => {
    expect(crc32(utf8("123456789"))).toBe(0xcbf43926);
  });
});

function awsFrame(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const head = Object.entries(headers).flatMap(([name, value]) => {
    const text = utf8(value);
    return [name.length, ...utf8(name), 7, text.length >> 8, text.length & 255, ...text];
  });
  const body = utf8(payload);
  const frame = new Uint8Array(16 + head.length + body.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, frame.length);
  view.setUint32(4, head.length);
  view.setUint32(8, crc32(frame.subarray(0, 8)));
  frame.set(head, 12);
  frame.set(body, 12 + head.length);
  view.setUint32(frame.length - 4, crc32(frame.subarray(0, frame.length - 4)));
  return frame;
}
