import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, LineSplitter, linesOf } from "./lines.ts";

async function read(text: string, cuts: readonly number[]): Promise<Line[]> {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let i = 1; i < at.length; i++) yield bytes.subarray(at[i - 1], at[i]);
  }
  const lines: Line[] = [];
  for await (const line of linesOf(chunks())) lines.push(line);
  return lines;
}

describe("lines", () => {
  it("G-01 come out the same wherever the chunks are cut, whatever they hold", async () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", "\u2028"));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (texts, cuts) => {
        const ended = await read(texts.map((text) => `${text}\n`).join(""), cuts);
        expect(ended).toEqual(texts.map((text) => ({ text: Buffer.from(text).toString("utf8") })));
      }),
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
});
