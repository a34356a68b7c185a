import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, LineSplitter, linesOf } from "./lines.ts";

function read(text: string, cuts: readonly number[]): Line[] {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const splitter = new LineSplitter();
  const lines = at.slice(1).flatMap((end, i) => [...splitter.feed(bytes.subarray(at[i], end))]);
  return [...lines, ...splitter.end()];
}

describe("lines", () => {
  it("G-01 come out the same wherever the chunks are cut, whatever they hold", async () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", "\u2028"));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (texts, cuts) => {
        const ended = read(texts.map((text) => `${text}\n`).join(""), cuts);
        expect(ended).toEqual(texts.map((text) => ({ text: Buffer.from(text).toString("utf8") })));
      }),
      { numRuns: process.env["LATHE_LONG"] ? 1000 : 30 },
    );
  });

  it("G-01 a line over the limit is reported with its size and skipped; the next one is read", () => {
    const splitter = new LineSplitter(8);
    const lines = [...splitter.feed(Buffer.from("12345678\n123456789")), ...splitter.feed(Buffer.from("0\nnext\nend"))];
    expect([...lines, ...splitter.end()]).toEqual([
      { text: "12345678" },
      { tooLong: 10 },
      { text: "next" },
      { text: "end" },
    ]);
  });

  it("G-01 an input that breaks off is at its end, with the lines before it", async () => {
    async function* broken() {
      yield Buffer.from("one\ntwo");
      throw new Error("read ECONNRESET");
    }
    const lines: Line[] = [];
    for await (const line of linesOf(broken())) lines.push(line);
    expect(lines).toEqual([{ text: "one" }, { text: "two" }]);
  });
});
