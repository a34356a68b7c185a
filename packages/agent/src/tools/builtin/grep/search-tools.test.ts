import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { globTool } from "../glob/index.ts";
import { listDirTool } from "../list-dir/index.ts";
import { grepTool, grepWithModesTool } from "./index.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
});
afterEach(() => bench.close());
const file = (name: string, content: string): Promise<void> => writeFile(join(bench.dir, name), content);

describe("grep", () => {
  it("TL-05 shows path:line:text, and says when there is nothing or too much", async () => {
    await file("a.txt", "x\nfind me\n");
    await file("many.txt", "hit\n".repeat(101));
    expect(await bench.text(grepTool, { pattern: "find me" })).toBe("a.txt:2:find me");
    expect(await bench.text(grepTool, { pattern: "nowhere" })).toBe("No matches found");
    const lines = (await bench.text(grepTool, { pattern: "hit" })).split("\n");
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe("[more than 100 results; narrow the search or raise max_results]");
  });

  it("TL-05 the Anthropic face can show names or counts only", async () => {
    await file("a.txt", "x\nx\n");
    expect(await bench.text(grepWithModesTool, { pattern: "x", output_mode: "files_with_matches" })).toBe("a.txt");
    expect(await bench.text(grepWithModesTool, { pattern: "x", output_mode: "count" })).toBe("a.txt:2");
  });

  it("TL-05 a broken expression and a missing path are failures the model can act on", async () => {
    await expect(bench.call(grepTool, { pattern: "(" })).rejects.toThrow(/regular expression|regex|unclosed/i);
    await expect(bench.call(grepTool, { pattern: "x", path: "nope" })).rejects.toThrow(/nope/);
  });
});

describe("glob and list_dir", () => {
  it("TL-06 newest first", async () => {
    for (const [name, time] of [
      ["old.ts", 1000],
      ["new.ts", 3000],
      ["mid.ts", 2000],
    ] as const) {
      await file(name, "");
      await utimes(join(bench.dir, name), time, time);
    }
    expect(await bench.text(globTool, { pattern: "*.ts" })).toBe("new.ts\nmid.ts\nold.ts");
    expect(await bench.text(globTool, { pattern: "*.go" })).toBe("No files found");
  });

  it("TL-07 lists directories with a slash and files with their size", async () => {
    await mkdir(join(bench.dir, "src"));
    await file("src/a.ts", "12345");
    await file("README", "hi");
    expect(await bench.text(listDirTool, {})).toBe("src/\nREADME  2");
    expect(await bench.text(listDirTool, { depth: 2 })).toBe("README  2\nsrc/\nsrc/a.ts  5");
    await expect(bench.call(listDirTool, { path: "README" })).rejects.toThrow("is a file");
  });
});
