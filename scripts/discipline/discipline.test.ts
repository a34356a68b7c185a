// The benchmark of tool use: what it counts, and when it says that a candidate is no worse.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compare, FAILURES, failuresOf, type Scenario } from "./trace.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "discipline-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const did = (more: Partial<Scenario>): Scenario => ({
  ...{ scenario: "s", arm: "candidate", calls: [], texts: ["Done."], changed: [], about: [], timedOut: false },
  ...more,
});
const call = (tool: string, args: Record<string, string>, error?: string) => ({
  ...{ tool, args, isError: error !== undefined, result: error ?? "ok" },
});
const shell = (command: string) => did({ calls: [call("shell", { command })] });

/** Runs it in its own process, as users do. */
async function bench(...args: string[]): Promise<{ code: number; report: Record<string, never> }> {
  const loader = ["--conditions=lathe-source", "--import", "./scripts/source-loader.mjs", "scripts/discipline/run.ts"];
  const cwd = new URL("../..", import.meta.url).pathname;
  const env = { PATH: process.env["PATH"], HOME: folder };
  const run = promisify(execFile)(process.execPath, [...loader, ...args], { cwd, env });
  const { stdout, code } = await run.then(
    ({ stdout: text }) => ({ stdout: text, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  return { code, report: stdout === "" ? {} : JSON.parse(stdout) };
}

describe("G-69 the bench of tool use", () => {
  it.each<[string, Scenario, readonly string[]]>([
    ["a file read by a command", shell("cat a.txt | grep x"), ["shell-read"]],
    ["a slice of one", shell("sed -n 1,20p a.txt"), ["shell-read"]],
    [
      "files looked for by a command",
      shell("find . -name '*.ts'; ls src"),
      ["shell-file-discovery", "shell-file-discovery"],
    ],
    ["a file written by a command", shell("sed -i s/a/b/ a.txt && echo x > b.txt"), ["shell-write", "shell-write"]],
    ["a fence around a command", shell("```sh\nnpm test\n```"), ["contaminated-command"]],
    ["words before a command", shell("Here is the command:\nnpm test"), ["contaminated-command"]],
    ["tests, builds and git", shell("npm test && git status | head -5"), []],
    [
      "an edit that never lands",
      did({ calls: [call("edit", { file_path: "a" }, "not found")] }),
      ["bad-anchor-unrecovered"],
    ],
    [
      "an edit of another file does not repair it",
      did({ calls: [call("edit", { file_path: "a" }, "not found"), call("edit", { file_path: "b" })] }),
      ["bad-anchor-unrecovered"],
    ],
    [
      "one that lands later",
      did({ calls: [call("edit", { file_path: "a" }, "not found"), call("edit", { file_path: "a" })] }),
      [],
    ],
    [
      "arguments that never fit",
      did({ calls: [call("read", {}, "Invalid arguments: file_path")] }),
      ["malformed-tool-args-unrecovered"],
    ],
    [
      "arguments that fit later",
      did({ calls: [call("read", {}, "Invalid arguments"), call("read", { file_path: "a" })] }),
      [],
    ],
    ["markup of calls in the words", did({ texts: ["<tool_call>{}</tool_call>"] }), ["sanitize-replay-regression"]],
    [
      "another file than asked for",
      did({ changed: ["b"], about: ["a"], calls: [call("edit", {})] }),
      ["wrong-file-edit"],
    ],
    ["only an announcement", did({ about: ["a"], texts: ["Now I will change it."] }), ["missing-tool-turn"]],
    ["no end", did({ timedOut: true }), ["timeout"]],
  ])("G-69 counts %s", async (_what, scenario, expected) => {
    expect(await failuresOf(scenario)).toEqual(expected);
  });

  it("G-69 compares what both arms have; fewer than three scenarios say nothing", async () => {
    const pair = (name: string, worse: boolean): Scenario[] => [
      { ...shell("cat a.txt"), scenario: name, arm: "baseline" },
      { ...shell(worse ? "cat a.txt; cat b.txt; ls" : "npm test"), scenario: name, arm: "candidate" },
    ];
    const alone = { ...shell("cat a"), scenario: "alone", arm: "baseline" } as const;
    const two = await compare([...pair("a", false), ...pair("b", false), alone]);
    expect(two).toMatchObject({ comparable: 2, p1: { applicable: false, baseline: 2, candidate: 0 } });
    expect(two.p1).not.toHaveProperty("passed");
    const three = await compare([...pair("a", false), ...pair("b", false), ...pair("c", true)]);
    expect(three.p1).toEqual({ applicable: true, passed: true, baseline: 3, candidate: 3 });
    expect(three.candidate).toEqual({
      ...Object.fromEntries(FAILURES.map((failure) => [failure, 0])),
      ...{ "shell-read": 2, "shell-file-discovery": 1 },
    });
    expect((await compare([...pair("a", true), ...pair("b", true), ...pair("c", true)])).p1.passed).toBe(false);
  });

  it("G-69 reads a trace, skips a live run without a model or a credential, and refuses what it cannot use", async () => {
    const file = join(folder, "trace.jsonl");
    const lines = ["a", "b", "c"].flatMap((scenario) => [
      JSON.stringify({ ...shell("npm test"), scenario, arm: "baseline" }),
      JSON.stringify({ ...shell("cat x"), scenario, arm: "candidate" }),
    ]);
    writeFileSync(file, `${lines.join("\n")}\n`);
    const [trace, none, live] = await Promise.all([
      bench("--trace", "--trace-file", file),
      bench(),
      bench("--live", "--model", "anthropic/claude-sonnet-4-5"),
    ]);
    expect(trace).toMatchObject({ code: 1, report: { p1: { applicable: true, passed: false, candidate: 3 } } });
    expect(none.code).toBe(2);
    expect(live).toMatchObject({ code: 0, report: { skipped: expect.any(String), p1: { applicable: false } } });
  });

  const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it;
  inLongRuns(
    "G-69 a scripted weak model fails less often with the rules",
    async () => {
      const { code, report } = await bench("--mock", "--seed", "42", "-n", "5");
      expect({ code, report }).toMatchObject({
        code: 0,
        report: { comparable: 15, p1: { applicable: true, passed: true } },
      });
    },
    240_000,
  );
});
