// Programs under real debuggers: what the model can do with them, and what it reads.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { type Bench, bench } from "./debug-kit.ts";

const WAIT = 120_000;

let at: Bench;
beforeEach(() => {
  at = bench();
});
afterEach(() => at.close());

const hasDebugpy = (): boolean => {
  try {
    execFileSync("/usr/bin/python3", ["-c", "import debugpy"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(!hasDebugpy())("Python (needs debugpy)", () => {
  it(
    "T-DBG-1 T-DBG-2 T-SUB-2 breakpoint, variables, evaluate, step, a loop that is paused, a second program by name",
    async () => {
      at.write("debugpy/__init__.py", `open("${at.folder}/hole", "w")`);
      const program = at.write(
        "calc.py",
        "y = 1",
        "x = 41",
        "z = x + y",
        "print(z)",
        "while True:",
        "    __import__('time').sleep(0.01)",
      );
      expect(await at.say({ action: "launch", program })).toBe(
        "debug-1 (debugpy) has stopped: entry\n<module> at calc.py:1\n1 | y = 1",
      );
      await expect(
        at.say({ action: "set_breakpoint", file: program, line: 3, hit_condition: "% 1 or print('hidden')" }),
      ).rejects.toThrow("hit_condition must be a number");
      expect(await at.say({ action: "set_breakpoint", file: program, line: 3 })).toBe("Breakpoint at calc.py:3");
      expect(await at.say({ action: "continue" })).toContain("has stopped: breakpoint\n<module> at calc.py:3");
      expect(await at.say({ action: "variables" })).toContain("x = 41");
      expect(await at.say({ action: "evaluate", expression: "x+1" })).toContain("42");
      await expect(at.say({ action: "evaluate", expression: "nope" })).rejects.toThrow("NameError");
      expect(await at.say({ action: "step_over" })).toContain("has stopped: step\n<module> at calc.py:4");
      await expect(at.say({ action: "read_memory", memory_reference: "0x1", count: 4 })).rejects.toThrow(
        "The debugger debugpy does not support read_memory",
      );
      await expect(at.say({ action: "launch", program })).rejects.toThrow(
        "Debug session debug-1 is still active. Terminate it before launching another.",
      );
      expect(await at.run({ action: "continue", timeoutMs: 1000 })).toMatchObject({
        text: expect.stringContaining("Output:\n42"),
        details: { state: "running", timedOut: true },
      });
      expect(await at.run({ action: "pause" })).toMatchObject({ details: { state: "stopped" } });
      expect(await at.say({ action: "stack_trace" })).toMatch(/^<module> at calc.py:[56] {2}\(frame_id \d+\)$/);
      expect(await at.say({ action: "threads" })).toContain("MainThread  (stopped)");
      expect(await at.say({ action: "terminate" })).toBe("debug-1 has ended.");
      expect(await at.say({ action: "sessions" })).toBe("No program is being debugged.");
      expect(existsSync(join(at.folder, "hole"))).toBe(false);
    },
    WAIT,
  );

  it(
    "T-DBG-1 T-DBG-2 attach by the port of a program that waits; hit_condition, scopes, step_in, step_out; it lives on",
    async () => {
      const file = at.write(
        ...([
          "wait.py",
          "import time",
          "def twice(a):",
          "    return a * 2",
          "for i in range(9):",
          "    twice(i)",
        ] as const),
        ...["while True:", "    time.sleep(0.01)"],
      );
      const listen = ["-m", "debugpy", "--listen", "127.0.0.1:0", "--log-to-stderr", "--wait-for-client", file];
      const program = await at.env.startProcess!(["/usr/bin/python3", ...listen]);
      const LISTENING = /Adapter is accepting incoming client connections on 127\.0\.0\.1:(\d+)/;
      let port: number | undefined;
      const wait = { timeout: WAIT };
      await expect.poll(() => (port = Number(LISTENING.exec(program.readStderr().text)?.[1])), wait).toBeGreaterThan(0);
      const { details } = await at.run({ action: "attach", port, file, line: 5 });
      if (details.state === "running") await at.say({ action: "continue" });
      expect(await at.say({ action: "evaluate", expression: "i" })).toContain("0");
      await at.say({ action: "set_breakpoint", file, line: 5, hit_condition: "== 3" });
      await at.say({ action: "continue" });
      expect(await at.say({ action: "evaluate", expression: "i" })).toContain("3");
      expect(await at.say({ action: "step_in" })).toContain("has stopped: step\ntwice at wait.py:3");
      expect(await at.say({ action: "scopes" })).toMatch(/^Locals {2}\(scope_id \d+\)\nGlobals/);
      expect(await at.say({ action: "step_out" })).toContain("has stopped: step\n<module> at wait.py:");
      await at.say({ action: "terminate" });
      expect(await program.stop(0)).toMatchObject({ stopped: true });
    },
    WAIT,
  );

  const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it;
  inLongRuns(
    "T-DBG-1 T-DBG-2 attach to a Python process by its number finds debugpy; it lives on",
    async () => {
      const file = at.write("count.py", "import time", "n = 0", "while True:", "    n += 1", "    time.sleep(0.01)");
      const program = await at.env.startProcess!(["/bin/sh", "-c", 'echo $$; exec /usr/bin/python3 "$1"', "sh", file]);
      const { value } = await program.stdout[Symbol.asyncIterator]().next();
      const pid = Number(new TextDecoder().decode(value));
      expect(await at.say({ action: "attach", pid })).toContain("(debugpy)");
      await at.say({ action: "set_breakpoint", file, line: 5 });
      expect(await at.say({ action: "continue" })).toContain("count.py:5");
      expect(await at.say({ action: "evaluate", expression: "n > 0" })).toContain("True");
      await at.say({ action: "terminate" });
      expect(await program.stop(0)).toMatchObject({ stopped: true });
    },
    WAIT,
  );

  it(
    "T-DBG-1 trace of a failing test: the table shows the wrong value, and no source is touched",
    async () => {
      const file = at.write(
        "calc.py",
        "def total(values):",
        "    t = 0",
        "    for i in range(1, len(values)):",
        "        t += values[i]",
        "    return t",
      );
      at.write(
        "test_calc.py",
        "import unittest, calc",
        "class T(unittest.TestCase):",
        "    def test(self):",
        "        self.assertEqual(calc.total([7, 2]), 9)",
      );
      const before = readFileSync(file);
      const said = await at.say({
        ...{ action: "trace", program: "-m unittest", args: ["test_calc"] },
        ...{ at: { file, line: 4 }, show: ["i", "values[i]", "t", "nope"] },
      });
      expect(said.split("\n").slice(0, 3)).toEqual([
        "calc.py:4: 1 hit; the program exited with code 1.",
        "hit | i | values[i] | t | nope",
        "1   | 1 | 2         | 0 | (debugpy: NameError: name 'nope' is not defined)",
      ]);
      expect(said).toContain("AssertionError: 2 != 9");
      expect(readFileSync(file)).toEqual(before);
    },
    WAIT,
  );
});

describe("Node", () => {
  /** Compiled with a source map next to it, like tsc does. */
  function compile(name: string, ...lines: readonly string[]): { readonly source: string; readonly program: string } {
    const source = at.write(`src/${name}.ts`, ...lines);
    const { code, map } = transformSync(readFileSync(source, "utf8"), { loader: "ts", sourcemap: "external" });
    const program = at.write(`dist/${name}.mjs`, code, `//# sourceMappingURL=${name}.mjs.map`);
    writeFileSync(`${program}.map`, JSON.stringify({ ...JSON.parse(map), sources: [`../src/${name}.ts`] }));
    return { source, program };
  }

  it(
    "T-DBG-1 trace of a failing TypeScript test goes through its source map; a breakpoint in it stops there",
    async () => {
      const { source } = compile(
        ...(["calc", "interface Item {", "  price: number;", "  count: number;", "}", ""] as const),
        ...[
          "export function total(items: Item[]): number {",
          "  let sum: number = 0;",
          "  for (const item of items) {",
        ],
        ...["    // Each item once.", "    sum += item.price;", "  }", "  return sum;", "}"],
      );
      const { program } = compile(
        "test",
        "import { total } from './calc.mjs';",
        "if (total([{ price: 2, count: 3 }]) !== 6) throw new Error('wrong');",
      );
      const before = readFileSync(source);
      const said = await at.say({
        ...{ action: "trace", program },
        ...{ at: { file: source, line: 10 }, show: ["item", "item.price", "sum"] },
      });
      expect(said.split("\n").slice(0, 3)).toEqual([
        "src/calc.ts:10: 1 hit; the program exited with code 1.",
        "hit | item                 | item.price | sum",
        "1   | {price: 2, count: 3} | 2          | 0",
      ]);
      expect(readFileSync(source)).toEqual(before);

      expect(await at.say({ action: "launch", program })).toContain("has stopped: entry");
      expect(await at.say({ action: "set_breakpoint", file: source, line: 9 })).toContain(
        "Breakpoint at src/calc.ts:9",
      );
      expect(await at.say({ action: "continue" })).toContain("total at src/calc.ts:10\n10 |     sum += item.price;");
      expect(await at.say({ action: "stack_trace" })).toContain("(anonymous) at src/test.ts:2");
      expect(await at.say({ action: "evaluate", expression: "item.price * item.count" })).toContain("6");
      expect(await at.say({ action: "variables" })).toContain("sum = 0  (number)");
      expect(await at.say({ action: "loaded_sources" })).toContain("dist/calc.mjs");
      expect(await at.say({ action: "continue" })).toContain("has stopped: exception, Error: wrong");
      expect(await at.say({ action: "continue" })).toContain("has ended: the program exited with code 1");
      for (const action of ["variables", "scopes"] as const)
        await expect(at.say({ action })).rejects.toThrow("has ended: the program exited with code 1");
    },
    WAIT,
  );

  it(
    "T-DBG-1 a program that forks, floods its output and has a condition: the child is not held, the output is bounded",
    async () => {
      const program = at.write(
        "fork.cjs",
        "const { fork } = require('node:child_process');",
        "if (process.argv[2] === 'child') { console.log('child ran'); process.exit(0); }",
        "for (let i = 0; i < 40; i++)",
        "  process.stdout.write('x'.repeat(10000));",
        "fork(__filename, ['child']).on('exit', (code) => console.log('child ended', code));",
      );
      await at.say({ action: "launch", program });
      await at.say({ action: "set_breakpoint", file: program, line: 4, condition: "i === 7" });
      expect(await at.say({ action: "continue" })).toContain("fork.cjs:4");
      expect(await at.say({ action: "evaluate", expression: "i" })).toContain("7");
      await at.say({ action: "set_breakpoint", file: program, line: 4, hit_condition: "% 3" });
      for (const hit of ["10", "13"]) {
        await at.say({ action: "continue" });
        expect(await at.say({ action: "evaluate", expression: "i" })).toContain(hit);
      }
      await at.say({ action: "remove_breakpoint", file: program, line: 4 });
      expect(await at.say({ action: "continue" })).toContain("has ended: the program exited with code 0");
      const printed = await at.say({ action: "output" });
      expect(printed).toContain("child ran\nchild ended 0");
      expect(printed.length).toBeLessThan(140 * 1024);
    },
    WAIT,
  );

  it(
    "T-DBG-1 two programs by name, one of them attached to by its port; an endless trace ends at its deadline",
    async () => {
      const program = at.write("loop.mjs", "let n = 0;", "setInterval(() => {", "  n += 1;", "}, 5);");
      await at.say({ action: "launch", program, name: "one" });
      const other = await at.env.startProcess!([process.execPath, "--inspect-brk=127.0.0.1:0", program]);
      let port: number | undefined;
      await expect.poll(() => (port = Number(/:(\d+)\//.exec(other.readStderr().text)?.[1]))).toBeGreaterThan(0);
      // If the debugger is not named, it is detected.
      const { details } = await at.run({ action: "attach", port, name: "two" });
      if (details.state === "running") await at.say({ action: "continue", name: "two" });
      expect(await at.say({ action: "stack_trace", name: "two" })).toContain("loop.mjs:1");
      await at.say({ action: "set_breakpoint", file: program, line: 3, name: "two" });
      expect(await at.say({ action: "continue", name: "two" })).toContain("two (node) has stopped: breakpoint");
      await expect(at.say({ action: "threads" })).rejects.toThrow("give the `name` of one: one, two");
      await at.say({ action: "terminate", name: "two" });
      expect(await at.say({ action: "threads" })).toContain("1 main");
      await expect(at.say({ action: "attach", pid: 1, adapter: "node", name: "two" })).rejects.toThrow("by its port");
      const traced = await at.say({
        action: "trace",
        program,
        at: { file: program, line: 1 },
        show: ["n"],
        timeoutMs: 3000,
      });
      expect(traced).toContain("1 hit; the program was ended after 3 s.");
      await other.stop(0);
    },
    WAIT,
  );
});

describe.skipIf(!has("gcc", "lldb-dap-19"))("C (needs gcc, lldb-dap-19)", () => {
  it(
    "T-DBG-1 T-DBG-2 disassemble, memory, function, instruction and data breakpoints, trace, a crash",
    async () => {
      const source = at.write(
        "sum.c",
        ...["#include <stdlib.h>", "int sum(const int *v, int n) {", "  int total = 0;"],
        ...["  for (int i = 0; i <= n; i++)", "    total += v[i];", "  return total;", "}"],
        ...["int main(int argc, char **argv) {", "  int v[] = {1, 2, 99};"],
        // Some systems let a debugger attach only to processes that allow it.
        ...[
          '  if (argc > 2) { prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); printf("%d\\n", getpid()); fflush(stdout); }',
        ],
        ...["  while (argc > 2) { usleep(1000); sum(v, 2); }"],
        ...["  int wrong = sum(v, 2) != 3;", "  if (argc == 2) abort();", "  return wrong;", "}"],
      );
      const program = join(at.folder, "sum");
      const headers = ["stdio.h", "sys/prctl.h", "unistd.h"].flatMap((name) => ["-include", name]);
      execFileSync("gcc", ["-g", "-O0", ...headers, "-o", program, source]);
      const before = readFileSync(source);
      expect(await at.say({ action: "launch", program, args: ["crash"] })).toContain(
        "debug-1 (lldb-dap) has stopped: entry",
      );
      expect(await at.say({ action: "set_breakpoint", function: "sum" })).toBe("Breakpoint at sum");
      expect(await at.say({ action: "continue" })).toContain("sum at sum.c:3");
      expect((await at.say({ action: "disassemble", instruction_count: 5 })).split("\n")).toHaveLength(5);
      const memory = { memory_reference: "v", count: 16 };
      expect(await at.say({ action: "read_memory", ...memory })).toMatch(
        /^0x\w+ {2}01 00 00 00 02 00 00 00 63 00 00 00 /,
      );
      expect(await at.say({ action: "write_memory", memory_reference: "v", data: "CQ==" })).toContain("Wrote 1 bytes");
      expect(await at.say({ action: "read_memory", ...memory })).toMatch(/^0x\w+ {2}09 /);
      await at.say({ action: "step_over" });
      const hidden = `(int)system("touch ${at.folder}/hole")`;
      await expect(at.say({ action: "read_memory", memory_reference: hidden, count: 1 })).rejects.toThrow("neither");
      await expect(at.say({ action: "data_breakpoint_info", variable: hidden })).rejects.toThrow("not the name");
      expect(existsSync(join(at.folder, "hole"))).toBe(false);
      const info = await at.say({ action: "data_breakpoint_info", variable: "total" });
      const [, data_id] = /^data_id (\S+)/.exec(info) ?? [];
      expect(await at.say({ action: "set_data_breakpoint", data_id, access_type: "write" })).toContain("Watching");
      expect(await at.say({ action: "continue" })).toMatch(/has stopped: .*watchpoint|has stopped: data breakpoint/);
      await at.say({ action: "remove_data_breakpoint", data_id });
      await expect(at.say({ action: "set_instruction_breakpoint", instruction_reference: "0x1" })).rejects.toThrow(
        "lldb-dap does not support set_instruction_breakpoint (supportsInstructionBreakpoints)",
      );
      expect(await at.say({ action: "modules" })).toContain(program);
      expect(await at.say({ action: "custom_request", command: "threads" })).toContain('"threads"');
      expect(await at.say({ action: "continue" })).toContain("SIGABRT");
      await at.say({ action: "terminate" });

      const traced = await at.say({
        action: "trace",
        program,
        at: { file: source, line: 5 },
        show: ["i", "v[i]", "total"],
      });
      expect(traced.split("\n").slice(0, 5)).toEqual([
        "sum.c:5: 3 hits; the program exited with code 1.",
        "hit | i | v[i] | total",
        "1   | 0 | 1    | 0",
        "2   | 1 | 2    | 1",
        "3   | 2 | 99   | 3",
      ]);
      expect(readFileSync(source)).toEqual(before);

      const other = await at.env.startProcess!([program, "for", "ever"]);
      const { value } = await other.stdout[Symbol.asyncIterator]().next();
      await at.say({ action: "attach", pid: Number(new TextDecoder().decode(value)) });
      await at.say({ action: "set_breakpoint", file: source, line: 5, hit_condition: ">= 3" });
      await expect(at.say({ action: "set_breakpoint", file: source, line: 3, hit_condition: "% 3" })).rejects.toThrow(
        "lldb-dap supports only a hit_condition such as 3",
      );
      expect(await at.say({ action: "continue" })).toContain("sum at sum.c:5");
      expect(await at.say({ action: "step_out" })).toContain("main at sum.c:");
      await at.say({ action: "terminate" });
      expect(await other.stop(0)).toMatchObject({ stopped: true });
    },
    WAIT,
  );
});
