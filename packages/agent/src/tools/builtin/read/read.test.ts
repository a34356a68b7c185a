import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { Syntax } from "../../../files/edit/syntax.ts";
import { readTool } from "./index.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
  bench.services.syntax = new Syntax(() => performance.now(), { milliseconds: 10_000 });
});
afterEach(() => bench.close());

const put = (name: string, text: string): void => {
  mkdirSync(dirname(join(bench.dir, name)), { recursive: true });
  writeFileSync(join(bench.dir, name), text);
};
const read = (path: string) => bench.text(readTool, { path });

it("T-READ-4 a directory is a tree of two levels, newest first, twelve entries below its own", async () => {
  for (let i = 0; i < 40; i++) put(`d/sub/f${String(i).padStart(2, "0")}`, "x".repeat(i));
  put("d/old.txt", "x");
  utimesSync(join(bench.dir, "d/old.txt"), 1, 1);
  put("d/new.txt", "x".repeat(2000));
  utimesSync(join(bench.dir, "d/new.txt"), new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));
  const rows = (await read("d")).split("\n");
  expect(rows[0]).toMatch(/^new\.txt {2}2\.0KB/);
  expect(rows[1]).toMatch(/^sub\//);
  expect(rows.filter((row) => row.startsWith("  f"))).toHaveLength(12);
  expect(rows).toContain("  [28 more]");
  expect(rows.at(-1)).toMatch(/^old\.txt {2}1B/);
  expect((await read("d:3")).split("\n")).toHaveLength(3);
  mkdirSync(join(bench.dir, "empty"));
  expect(await read("empty")).toBe("(empty directory)");
});

const method = (name: string): string =>
  `  ${name}(input: string): number {\n${Array.from({ length: 17 }, (_, i) => `    const v${i} = input.length + ${i}; // ${name}`).join("\n")}\n    return v0;\n  }\n`;

it("T-READ-3 a long class shows every signature, and the ranges in its footer hold the folded bodies", async () => {
  const names = Array.from({ length: 30 }, (_, i) => `method${i}`);
  const text = `export class Big {\n${names.map(method).join("\n")}}\n`;
  put("big.ts", text);
  const shown = await read("big.ts");
  const total = text.split("\n").length - 1;
  expect(shown.split("\n").length).toBeLessThan(total * 0.4);
  for (const name of names) expect(shown).toContain(`${name}(input: string): number {`);
  const ranges = /read big\.ts:([\d,-]+)/.exec(shown)?.[1] as string;
  const bodies = await read(`big.ts:${ranges}`);
  for (const name of names.slice(0, 12)) expect(bodies).toContain(`const v16 = input.length + 16; // ${name}`);
  expect(shown).toMatch(/^¶big\.ts#[0-9A-F]{4}\n1:export class Big \{/);
  bench.services.reading = { summarize: false };
  expect(await read("big.ts")).toContain("const v3 = input.length + 3; // method7");
});

it("T-SUB-4 a read that is cut names the line to go on with", async () => {
  put("many.txt", Array.from({ length: 10_000 }, (_, i) => `row ${i + 1}\n`).join(""));
  const shown = await read("many.txt");
  const next = Number(/continue with many\.txt:(\d+)-\]$/.exec(shown)?.[1]);
  expect(shown).toContain(`\n${next - 1}:row ${next - 1}\n`);
  expect(await read(`many.txt:${next}+1`)).toContain(`${next}:row ${next}`);
  const { details } = await bench.call(readTool, { path: "many.txt" });
  expect(details).toMatchObject({
    meta: {
      source: { type: "path", value: "many.txt" },
      truncation: {
        direction: "head",
        truncatedBy: "lines",
        totalLines: 10_000,
        shownRange: { start: 1, end: next - 1 },
        nextOffset: next,
      },
    },
  });
  bench.services.reading = { defaultLimit: 10 };
  expect(await read("many.txt")).toMatch(/\n10:row 10\n\[9990 more lines; continue with many\.txt:11-\]$/);
  expect(await read("many.txt:chars=5-9")).toBe("1\nrow");
});

it("T-READ-2 the header and the numbers can be left out", async () => {
  put("a.txt", "one\ntwo\n");
  bench.services.reading = { hashLines: false };
  expect(await read("a.txt")).toBe("1:one\n2:two");
  bench.services.reading = { hashLines: false, lineNumbers: false };
  expect(await read("a.txt")).toBe("one\ntwo");
});
