import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { SchemeRegistry } from "../../../contract/seams/schemes.ts";
import { hashlineEditTool } from "../hashline/index.ts";
import { hashlineReadTool } from "./index.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
  await writeFile(join(bench.dir, "a.ts"), Array.from({ length: 30 }, (_, i) => `l${i + 1}\n`).join(""));
});
afterEach(() => bench.close());

const read = (file_path: string) => bench.text(hashlineReadTool, { file_path });
const rows = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => `${first + i}:l${first + i}`).join("\n");
const more = (next: number) => `[${31 - next} more lines; continue with offset=${next}]`;

it("T-READ-2 a.ts:10-12 shows the header and lines 9 to 15, and its tag is taken by the next edit", async () => {
  const text = await read("a.ts:10-12");
  const [header, ...rest] = text.split("\n");
  expect(header).toMatch(/^¶a\.ts#[0-9A-F]{4}$/);
  expect(rest.join("\n")).toBe(`${rows(9, 15)}\n${more(16)}`);
  await bench.text(hashlineEditTool, { input: `${header}\nreplace 11:\n+eleven` });
  expect(await read("a.ts:11+1:raw")).toBe(`eleven\n${more(12)}`);
});

it.each([
  ["a.ts:28", `HEAD\n${rows(27, 30)}`],
  ["a.ts:L28", `HEAD\n${rows(27, 30)}`],
  ["a.ts:28-", `HEAD\n${rows(27, 30)}`],
  ["a.ts:1-2", `HEAD\n${rows(1, 5)}\n${more(6)}`],
  ["a.ts:L1-L2", `HEAD\n${rows(1, 5)}\n${more(6)}`],
  ["a.ts:5+2", `HEAD\n${rows(4, 9)}\n${more(10)}`],
  ["a.ts:20+2,5-7", `HEAD\n${rows(4, 10)}\n…\n${rows(19, 24)}\n${more(25)}`],
  ["a.ts:5-7,8-9", `HEAD\n${rows(4, 12)}\n${more(13)}`],
  ["a.ts:29-99", `HEAD\n${rows(28, 30)}`],
  ["a.ts:raw", Array.from({ length: 30 }, (_, i) => `l${i + 1}`).join("\n")],
  ["a.ts:2-3:raw", `l2\nl3\n${more(4)}`],
  ["a.ts:raw:2-3", `l2\nl3\n${more(4)}`],
  ["a.ts:999", "HEAD\n(a.ts has 30 lines; the requested lines are beyond its end)"],
])("T-READ-1 T-READ-2 the selector of %s", async (path, expected) => {
  expect((await read(path)).replace(/^¶a\.ts#[0-9A-F]{4}/, "HEAD")).toBe(expected);
});

it.each([
  ["a.ts:0", "Line selector 0 is invalid; lines are 1-indexed. Use :1."],
  ["a.ts:7-5", "ends before it begins"],
  ["a.ts:7+0", "selects no line"],
  ["b.ts:7", "File not found: b.ts"],
])("T-READ-2 %s is refused", async (path, message) => {
  await expect(read(path)).rejects.toThrow(message);
});

it("T-READ-2 a file whose name looks like a selector is that file; addresses keep what follows a colon", async () => {
  await writeFile(join(bench.dir, "a.ts:10"), "odd\n");
  expect(await read("a.ts:10")).toMatch(/^¶a\.ts:10#[0-9A-F]{4}\n1:odd$/);
  const asked: string[] = [];
  const bytes = Buffer.from("1\n2\n3\n4\n5\n6\n");
  const resolver = async (path: string) => {
    asked.push(path);
    return { bytes };
  };
  bench.services.schemes = new SchemeRegistry({ db: { read: resolver } });
  expect(await read("db://host:10")).toContain("1:1\n2:2");
  await read("db://3:2-4");
  expect(asked).toEqual(["db://host:10", "db://3:2-4"]);
  await expect(bench.call(hashlineReadTool, { file_path: "a.ts:5", offset: 2 })).rejects.toThrow("not both");
});

it("T-READ-2 the bytes of a read are bounded by its lines, and it says where to continue", async () => {
  await writeFile(join(bench.dir, "wide.txt"), `${"x".repeat(1900)}\n`.repeat(3000));
  const few = await bench.call(hashlineReadTool, { file_path: "wide.txt:1-20" });
  expect(few.details).toMatchObject({ linesRead: 23, truncated: true });
  const many = await bench.call(hashlineReadTool, { file_path: "wide.txt" });
  const { linesRead } = many.details as { linesRead: number };
  expect(linesRead).toBeGreaterThan(500);
  expect(linesRead * 1900).toBeLessThan(2000 * 512);
  expect(JSON.stringify(many.content)).toContain(`continue with offset=${linesRead + 1}]`);
});
