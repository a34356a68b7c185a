import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ShellAnalysis, ShellPart } from "../../src/contract/shell.ts";
import { analyseShell } from "../../src/policy/shell/analyse.ts";
import { drawFrom, randomCommand } from "./random-commands.ts";
import { type Recorded, Recorders } from "./recorders.ts";

const isLong = Boolean(process.env["LATHE_LONG"]);
const RUNS = isLong ? 4000 : 6;

let folder: string;
let recorders: Recorders;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-shell-"));
  recorders = new Recorders(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("random bash texts, run for real", () => {
  it(
    "no program runs and no file is made that the analysis did not name, unless it says that it is in doubt",
    async () => {
      let decided = 0;
      let ran = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const command = randomCommand(drawFrom(seed));
          const analysis = await analyseShell(command, { cwd: recorders.cwd, home: recorders.home });
          if (isDoubtful(analysis)) return;
          decided++;
          const recorded = await recorders.run(command);
          ran += recorded.calls.length;
          expect({ command, missed: missed(analysis, recorded) }).toEqual({ command, missed: [] });
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
      // Otherwise doubting everything would pass as well.
      expect(decided).toBeGreaterThan(RUNS / 3);
      expect(ran).toBeGreaterThan(RUNS / 2);
    },
    isLong ? 1_200_000 : 120_000,
  );
});

function isDoubtful({ doubt, parts }: ShellAnalysis): boolean {
  return doubt !== undefined || parts.some((part) => part.doubt !== undefined);
}

function missed({ parts }: ShellAnalysis, { calls, made }: Recorded): string[] {
  const programs = calls.filter((call) => !parts.some((part) => names(part, call))).map((call) => call.join(" "));
  const written = new Set(
    parts.flatMap((part) =>
      part.writes.map((path) => posix.relative(recorders.cwd, posix.resolve(part.cwd ?? "?", path))),
    ),
  );
  return [...programs, ...made.filter((file) => !written.has(file)).map((file) => `made ${file}`)];
}

/** Whether the part says that this call runs; an unknown word stands for any words. */
function names({ words, unknown }: ShellPart, call: readonly string[]): boolean {
  const fits = (word: number, argument: number): boolean => {
    if (word === words.length) return argument === call.length;
    if (unknown.includes(word)) return fits(word + 1, argument) || (argument < call.length && fits(word, argument + 1));
    return words[word] === call[argument] && argument < call.length && fits(word + 1, argument + 1);
  };
  // `bash p1`: the program is the script given to the shell.
  const isShell = /^(?:ba)?sh$/.test(words[0] ?? "");
  return words.some((_, from) => (from === 0 || isShell) && fits(from, 0));
}
