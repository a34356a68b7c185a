import { expect, it } from "vitest";
import { encodeFrame, FrameError, FrameReader, OtherProtocol } from "./frames.ts";

const read = (reader: FrameReader, text: string | Buffer): unknown[] => [...reader.push(Buffer.from(text as never))];

it("LP-02 messages are put together from any pieces, several from one", () => {
  const messages = [{ a: "é👋" }, { b: [1, 2] }, { c: "x".repeat(10_000) }];
  const bytes = Buffer.concat(messages.map(encodeFrame));
  for (const size of [1, 7, 100, bytes.length]) {
    const reader = new FrameReader();
    const found: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...reader.push(bytes.subarray(at, at + size)));
    expect(found).toEqual(messages);
  }
});

it("other headers are passed over, and the name of the one that counts may be written in any case", () => {
  const body = '{"x":1}';
  const frame = `content-length: ${body.length}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n${body}`;
  expect(read(new FrameReader(), frame)).toEqual([{ x: 1 }]);
});

it.each([
  ["no header at all", "hello\r\n\r\n", "not a message"],
  ["a header without an end", "x".repeat(9000), "not a message"],
  [
    "a length that would fill the memory",
    "Content-Length: 1000000000\r\n\r\n",
    "announced a message of 1000000000 bytes",
  ],
  ["a negative length", "Content-Length: -5\r\n\r\n", "not a message"],
  ["a body that is not JSON", "Content-Length: 3\r\n\r\n{a}", "not JSON"],
])("%s ends the reading with a reason", (_what, text, reason) => {
  expect(() => read(new FrameReader(), text)).toThrow(FrameError);
  expect(() => read(new FrameReader(), text)).toThrow(reason);
});

it("a program that speaks another protocol is an error with what it said", () => {
  expect(() => read(new FrameReader(), "HTTP/1.0 400 Bad Request\r\n\r\n")).toThrow(
    expect.objectContaining({ constructor: OtherProtocol, said: "HTTP/1.0 400 Bad Request" }),
  );
});
