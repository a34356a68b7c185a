// Every tool that shortens its output: the model sees that something is missing and how much, and the call that reads
// the rest works in the same session.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@lathe/llm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { globTool } from "../../src/tools/builtin/glob/index.ts";
import { grepTool } from "../../src/tools/builtin/grep/index.ts";
import { hashlineReadTool } from "../../src/tools/builtin/hashline-read/index.ts";
import { listDirTool } from "../../src/tools/builtin/list-dir/index.ts";
import { minimalBashTool } from "../../src/tools/builtin/minimal/bash/index.ts";
import { minimalReadTool } from "../../src/tools/builtin/minimal/read/index.ts";
import { readFileTool } from "../../src/tools/builtin/read-file/index.ts";
import { readManyFilesTool } from "../../src/tools/builtin/read-many-files/index.ts";
import { shellTool } from "../../src/tools/builtin/shell/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { setUp, testProfile, tool } from "../support/session.ts";

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-cut-")));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** What the model got for each call, and what the events say. */
async function run(tools: readonly unknown[], calls: readonly { name: string; args: JsonObject }[]) {
  const env = new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"] } });
  const s = setUp({
    env,
    profile: testProfile(tools as ToolDef[]),
    script: [...calls.map((call, n) => ({ calls: [{ ...call, id: `c${n}` }] })), { text: "ok" }],
  });
  await s.session.submit("go");
  await s.finish();
  const results = s.client.requests
    .at(-1)!
    .messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.kind === "tool_result" ? [String(part.toolResult.content)] : [])),
    );
  return { results, ended: s.of("tool_call_end").map(({ data }) => data) };
}

const LONG = `${"a".repeat(49_990)}THE MIDDLE${"b".repeat(50_000)}`;

describe("a line of 100,000 characters", () => {
  it.each([
    ["read_file", readFileTool],
    ["read_file", hashlineReadTool],
    ["read", minimalReadTool],
  ])(
    "D-078 TR-01 %s: all of it in the event, the marker for the model, and an address that shows the middle",
    async (name, reader) => {
      writeFileSync(join(dir, "min.js"), `${LONG}\n`);
      const { results, ended } = await run(
        [reader],
        [
          { name, args: { file_path: "min.js" } },
          { name, args: { file_path: "artifact://0:chars=49001-51000" } },
        ],
      );
      expect(ended[0]?.output).toContain(LONG);
      expect(results[0]!.length).toBeLessThan(51_000);
      expect(results[0]).toMatch(
        /\[WARNING: Tool output was truncated\. 500\d\d characters were removed from the middle\./,
      );
      expect(results[0]).toMatch(/\[Full output, 1000\d\d characters in \d lines: artifact:\/\/0\. Read parts of it: /);
      expect(results[0]).not.toContain("THE MIDDLE");
      expect(results[1]).toContain("THE MIDDLE");
    },
  );

  it("read_many_files says how much of it is missing, and to read the file alone", async () => {
    writeFileSync(join(dir, "min.js"), LONG);
    const { results } = await run([readManyFilesTool], [{ name: "read_many_files", args: { paths: ["*.js"] } }]);
    expect(results[0]).toContain("[... 98000 more characters in this line; read the file alone]");
  });

  it("grep shows the part with the match, how much is around it, and the line to read", async () => {
    writeFileSync(join(dir, "min.js"), LONG);
    const { results } = await run([grepTool], [{ name: "grep", args: { pattern: "MIDDLE" } }]);
    expect(results[0]).toMatch(
      /^min\.js:1:\[\d+ characters before \.\.\.\] a+THE MIDDLEb+ \[\.\.\. \d+ more characters\]$/,
    );
  });
});

describe("more than the model is shown", () => {
  const files = (count: number): void => {
    mkdirSync(join(dir, "many"));
    for (let n = 0; n < count; n++)
      writeFileSync(join(dir, "many", `file-${String(n).padStart(4, "0")}.txt`), `needle ${n}\n`);
  };

  it.each([
    ["shell", shellTool, { command: "seq 1 9999" }, "5000"],
    ["bash", minimalBashTool, { command: "seq 1 9999" }, "5000"],
    ["list_dir", listDirTool, { path: "many" }, "file-0300.txt"],
    ["glob", globTool, { pattern: "many/*.txt" }, "file-0300.txt"],
    ["grep", grepTool, { pattern: "needle", max_results: 600 }, "needle 300"],
    ["host", tool("host", () => `${"x\n".repeat(30_000)}hidden\n${"x\n".repeat(30_000)}`), {}, "hidden"],
  ])(
    "TR-01 TR-03 %s: the cut is marked, and the address of the whole output can be read and searched",
    async (name, one, args, hidden) => {
      files(600);
      const { results, ended } = await run(
        [one, ...(name === "read_file" ? [] : [readFileTool])],
        [
          { name, args },
          { name: "read_file", args: { file_path: "artifact://0", limit: 40_000 } },
          { name: "read_file", args: { file_path: "artifact://0:1-3" } },
        ],
      );
      expect(results[0]).toMatch(/lines omitted|WARNING: Tool output was truncated/);
      expect(results[0]).toMatch(/\[Full output, \d+ characters in \d+ lines: artifact:\/\/0\./);
      expect(results[0]!.split("\n")).not.toContain(hidden);
      expect(ended[1]?.output).toContain(hidden);
      expect(results[2]!.split("\n")).toHaveLength(3);
    },
  );

  it("TR-01 what was removed is counted from all that a command wrote, also where memory did not hold it", async () => {
    const { results } = await run([shellTool], [{ name: "shell", args: { command: "yes 1234567 | head -c 3000000" } }]);
    const shown = results[0]!.replace(/\n\[\.{3} .*\n\[WARNING.*\n/, "\n").replace(/\[Full output[\s\S]*/, "");
    const omittedLines = Number(/\[\.\.\. (\d+) lines omitted/.exec(results[0]!)![1]);
    const removed = Number(/truncated\. (\d+) characters were removed/.exec(results[0]!)![1]);
    expect(removed).toBeGreaterThan(2_960_000);
    expect(removed + 8 * omittedLines + shown.length).toBeGreaterThan(2_999_000);
    expect(removed + 8 * omittedLines + shown.length).toBeLessThan(3_001_000);
  });

  it("glob says how many of the newest files it lists", async () => {
    execFileSync("sh", ["-c", `mkdir ${dir}/m && cd ${dir}/m && seq 1 1100 | xargs touch`]);
    const { ended } = await run([globTool], [{ name: "glob", args: { pattern: "m/*" } }]);
    expect(ended[0]?.output).toMatch(/\[these are the 1000 newest files; more match: use a narrower pattern\]$/);
  });
});

it("an address of characters is refused in words when it is none, and ends where the artifact ends", async () => {
  const { ended } = await run(
    [tool("host", () => "é".repeat(40_000)), readFileTool],
    [
      { name: "host", args: {} },
      { name: "read_file", args: { file_path: "artifact://0:chars=39999-50000" } },
      { name: "read_file", args: { file_path: "artifact://0:chars=x" } },
    ],
  );
  expect(ended[1]?.output).toBe("éé");
  expect(ended[2]?.error).toContain("artifact://<number>:chars=<from>-<to>; got artifact://0:chars=x.");
});
