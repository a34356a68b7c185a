import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { minimalEditTool } from "./edit/index.ts";
import { minimalWriteTool } from "./write/index.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
});
afterEach(() => bench.close());

it("HD-02 D-091 edit replaces one exact place and refuses what is only alike", async () => {
  await writeFile(join(bench.dir, "a.ts"), "const port = 3000;\nconst other = 1;\n");
  const text = await bench.text(minimalEditTool, {
    file_path: "a.ts",
    old_string: "port = 3000",
    new_string: "port = 80",
  });
  expect(text).toBe("Replaced 1 occurrence in a.ts (1 lines changed)");
  await expect(
    bench.call(minimalEditTool, { file_path: "a.ts", old_string: "  const  port", new_string: "x" }),
  ).rejects.toThrow();
  await expect(
    bench.call(minimalEditTool, { file_path: "a.ts", old_string: "const", new_string: "let" }),
  ).rejects.toThrow(/line/);
  expect(await readFile(join(bench.dir, "a.ts"), "utf8")).toBe("const port = 80;\nconst other = 1;\n");
});

it("HD-02 D-091 write creates directories and says whether the file is new", async () => {
  expect(await bench.text(minimalWriteTool, { file_path: "src/b.ts", content: "export {};\n" })).toBe(
    "Created new file src/b.ts (11 bytes)",
  );
  expect(await bench.text(minimalWriteTool, { file_path: "src/b.ts", content: "" })).toContain(
    "Wrote src/b.ts (0 bytes)",
  );
});
