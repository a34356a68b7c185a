import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { editFileTool } from "../edit-file/index.ts";
import { minimalBashTool } from "../minimal/bash/index.ts";
import { readFileTool } from "../read-file/index.ts";
import { shellTool } from "./index.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
  await writeFile(join(bench.dir, "a.txt"), "one\ntwo\n");
  await writeFile(join(bench.dir, "b.txt"), "never shown\n");
});
afterEach(() => bench.close());

const NOTE = "[changed since you last saw it: a.txt; read again before editing]";
const run = (command: string) => bench.text(shellTool, { command });

it("T-EDIT-4 a command that changes a file the session has shown says so once, by name", async () => {
  await bench.text(readFileTool, { file_path: "a.txt" });
  expect(await run("sed -i s/two/2/ a.txt b.txt")).toContain(NOTE);
  const { details } = await bench.call(shellTool, { command: "rm a.txt" });
  expect(details).toMatchObject({ changedFiles: ["a.txt"] });
  expect(await run("true")).not.toContain("changed since");
});

it("T-EDIT-4 a file that is only touched, or was changed by our own edit, is not named", async () => {
  await bench.text(readFileTool, { file_path: "a.txt" });
  expect(await run("touch a.txt; cat a.txt > a.tmp; mv a.tmp a.txt")).not.toContain("changed since");
  await bench.text(editFileTool, { file_path: "a.txt", old_string: "two", new_string: "2" });
  expect(await run("cat a.txt")).toMatch(/^one\n2\n\[exit code: 0/);
});

it("T-EDIT-4 the four-tool set says it too", async () => {
  await bench.text(readFileTool, { file_path: "a.txt" });
  expect(await bench.text(minimalBashTool, { command: "echo three >> a.txt" })).toBe(`${NOTE}\nexit code: 0`);
});
