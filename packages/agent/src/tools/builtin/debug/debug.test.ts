// What a call of `debug` declares and asks for, before any debugger runs.

import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { CallPaths } from "../../../contract/paths/call-paths.ts";
import { type DebugRequest, debugTool } from "./index.ts";
import type { DebugArgs } from "./params.ts";

let bench: Bench;
let asked: DebugRequest[];
beforeEach(async () => {
  bench = await toolBench();
  asked = [];
  bench.services.debuggers = {
    commands: async ({ program, expression, condition }) => [
      ...(program ? [`node ${program}`] : []),
      ...[expression, condition].flatMap((code) => (code ? [`node -e '${code}'`] : [])),
    ],
    run: async (request) => {
      asked.push(request);
      return { text: "done", details: {} };
    },
  };
});
afterEach(() => bench.close());

it("T-SUB-2 seconds to wait are 30, at least 5 and at most 300", async () => {
  for (const timeout of [undefined, 1, 60, 9999])
    await bench.call(debugTool, { action: "continue", ...(timeout === undefined ? {} : { timeout }) });
  expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([30_000, 5000, 60_000, 300_000]);
});

it("T-DBG-1 LS-10 what runs code is judged like commands, what looks or steps needs no question", async () => {
  const judge = async (args: DebugArgs) => {
    const signal = new AbortController().signal;
    const scope = { env: bench.env, signal, paths: new CallPaths(bench.env, signal), services: bench.services };
    const access = (await debugTool.access?.(args, scope)) ?? [];
    return { tier: (debugTool.tier as (args: DebugArgs) => string)(args), access };
  };
  const run = await judge({ action: "launch", program: "a.js" });
  expect(run.tier).toBe("exec");
  expect(run.access).toContainEqual(
    expect.objectContaining({ kind: "exec", command: `node ${join(bench.dir, "a.js")}`, cwd: bench.dir }),
  );
  for (const args of [
    { action: "evaluate", expression: "x" },
    { action: "set_breakpoint", file: "a.js", line: 1, condition: "x" },
  ] as const) {
    const { tier, access } = await judge(args);
    expect(tier).toBe("exec");
    expect(access).toContainEqual(expect.objectContaining({ kind: "exec", command: "node -e 'x'" }));
  }
  expect(await judge({ action: "attach", pid: 7 })).toMatchObject({
    tier: "exec",
    access: [
      {
        kind: "exec",
        command: "debug attach process 7",
        doubt: expect.stringContaining("takes over a running program"),
      },
    ],
  });
  const other = await judge({ action: "launch", program: "/bin/ls", arguments: { program: "other" } });
  expect(other.access).toContainEqual(expect.objectContaining({ doubt: expect.stringContaining("run anything") }));
  const paths = new CallPaths(bench.env, new AbortController().signal);
  const scope = { env: bench.env, signal: new AbortController().signal, paths, services: bench.services };
  expect(await debugTool.preview?.({ action: "attach", pid: 7 }, scope)).toMatchObject({
    lines: [{ text: "debug attach process 7" }],
  });
  const preview = async (args: DebugArgs) => (await debugTool.preview?.(args, scope))?.lines.map(({ text }) => text);
  const trace = { action: "trace", program: "a.js", at: "a.js:3", show: ["i", "v[i]"] } as const;
  expect(await preview(trace)).toEqual([
    `under a debugger, in ${bench.dir}`,
    `│ node ${join(bench.dir, "a.js")}`,
    "evaluated in the program each time a.js:3 is reached",
    "│ i",
    "│ v[i]",
  ]);
  expect(await preview({ action: "set_breakpoint", file: "a.js", line: 2, condition: "i > 3" })).toEqual([
    "evaluated in the program each time a.js:2 is reached",
    "│ i > 3",
  ]);
  expect(await preview({ action: "evaluate", expression: "v[0]" })).toEqual([
    "evaluated in the program being debugged",
    "│ v[0]",
  ]);
  for (const action of ["continue", "variables", "terminate", "read_memory"] as const)
    expect(await judge({ action })).toEqual({ tier: "read", access: [] });
});
