import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { minimize } from "../../src/tools/run/minimize/minimize.ts";
import { gitRun, npmRun, type RealRun, tscRun, unittestRun, vitestRun } from "./real-runs.ts";

/** Written independently of the code under test: what a reader looks for in a failing run. */
const MATTERS = /\.\w+[:(]\d+|line \d+|error|fail|warning|conflict/i;
const ROUNDS = process.env["LATHE_LONG"] ? 500 : 15;

const failing = new Map<string, RealRun>();
const passing = new Map<string, RealRun>();
beforeAll(async () => {
  const failed = {
    vitest: vitestRun(true),
    npm: npmRun(true),
    tsc: tscRun(),
    unittest: unittestRun(true),
    git: gitRun(true),
  };
  const passed = { vitest: vitestRun(false), npm: npmRun(false), unittest: unittestRun(false), git: gitRun(false) };
  for (const [name, run] of Object.entries(failed)) failing.set(name, await run);
  for (const [name, run] of Object.entries(passed)) passing.set(name, await run);
});

const shown = ({ command, output }: RealRun): string => minimize(command, output)?.text ?? output;
const linesThatMatter = (text: string): string[] => text.split("\n").filter((line) => MATTERS.test(line));

describe("real runs", () => {
  it.each(["vitest", "npm", "tsc", "unittest", "git"])(
    "T-BASH-6 a failing run of %s: every line with a place, an error, a failure or a warning is still there",
    (name) => {
      const run = failing.get(name)!;
      expect(linesThatMatter(run.output).length).toBeGreaterThan(0);
      expect(linesThatMatter(shown(run))).toEqual(linesThatMatter(run.output));
    },
  );

  it.each(["vitest", "npm", "unittest", "git"])("T-BASH-6 a passing run of %s shrinks to 40 %% or less", (name) => {
    const run = passing.get(name)!;
    expect(run.output.length).toBeGreaterThan(5_000);
    expect(shown(run).length).toBeLessThanOrEqual(0.4 * run.output.length);
  });

  it("T-BASH-6 what failed is told in full: the diff of the assertion and the summary of the runner", () => {
    expect(shown(failing.get("vitest")!)).toMatch(/"total": 4[\s\S]*"total": 3[\s\S]*1 failed \| 300 passed/);
    expect(shown(failing.get("unittest")!)).toMatch(/\{'total': 3\} != \{'total': 4\}[\s\S]*FAILED \(failures=1\)/);
    expect(shown(failing.get("npm")!)).toMatch(/total: 4/);
  });
});

it("T-BASH-6 of passed tests in TAP nothing is left but the count", () => {
  const tests = Array.from({ length: 500 }, (_, i) => `# Subtest: t\nok ${i} - t\n  ---\n  duration_ms: 0.1\n  ...\n`);
  const { text } = minimize("node --test", `TAP version 13\n${tests.join("")}1..500\n# pass 500\n`)!;
  expect(text.split("\n").filter((line) => line !== "")).toHaveLength(3);
});

it("T-BASH-6 however the lines of failing and passing runs are mixed, none that matters goes, none is changed or moved", () => {
  const pool = [...failing.values(), ...passing.values()].flatMap(({ output }) => output.split("\n").slice(-400));
  const commands = [...failing.values(), ...passing.values()].map(({ command }) => command);
  const line = fc.oneof(
    { arbitrary: fc.constantFrom(...pool), weight: 8 },
    { arbitrary: fc.string({ maxLength: 60 }).map((text) => text.replaceAll("\n", " ")), weight: 1 },
    {
      arbitrary: fc.constantFrom("✓ passes", " ✓ reports an error", "ok 3 - fails well", "a.c:3: warning: x"),
      weight: 1,
    },
  );
  const text = fc.array(fc.tuple(line, fc.integer({ min: 1, max: 6 })), { minLength: 30, maxLength: 300 });
  fc.assert(
    fc.property(text, fc.constantFrom(...commands, "cat log", "make -j4"), (mixed, command) => {
      const lines = mixed.flatMap(([one, times]) => Array<string>(times).fill(one));
      const result = minimize(command, lines.join("\n"));
      if (!result) return;
      expect(linesThatMatter(result.text)).toEqual(linesThatMatter(lines.join("\n")));
      const rest = result.text.split("\n").filter((one) => !/^\[the line above \d+ more times\]$/.test(one));
      let at = 0;
      for (const one of rest) {
        at = lines.indexOf(one, at) + 1;
        expect(at).toBeGreaterThan(0);
      }
    }),
    { numRuns: ROUNDS },
  );
});

it("T-BASH-6 output of other programs is only folded, and what is short stays as it is", () => {
  const marks = Array.from({ length: 200 }, (_, n) => ` ✓ item ${n} of a shopping list`).join("\n");
  expect(minimize("cat list.txt", marks)).toBeUndefined();
  expect(minimize("grep vitest list.txt", marks)).toBeUndefined();
  expect(minimize("npx vitest run", " ✓ a\n".repeat(20))).toBeUndefined();
  const same = `begin\n${"a line that says the same again and again\n".repeat(100)}end`;
  expect(minimize("./serve", same)?.text).toBe(
    "begin\na line that says the same again and again\n[the line above 99 more times]\nend",
  );
  const errors = `begin\n${"error: cannot connect\n".repeat(100)}end`;
  expect(minimize("./serve", errors)).toBeUndefined();
});
