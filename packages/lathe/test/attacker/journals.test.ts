// Forged and damaged session files: every command over them works or says in one line what is wrong, and none of the
// existing bytes is changed. The real command resumes a session in them, in this process.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { encodeLine, sessionFolderName } from "@lathe/agent/record";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Change, hostileJournal } from "../../../agent/test/journal/hostile-lines.ts";
import { runSubcommand } from "../../src/cli/commands/index.ts";
import { launch } from "../../src/cli/launch.ts";
import { type Machine, textOnly } from "../../src/platform/machine/machine.ts";
import { CliError } from "../../src/platform/usage/exit.ts";
import { type Box, makeBox } from "../sessions-box.ts";
import { type Chance, mustEnd, rounds } from "./chance.ts";
import { ACTS_ON_TERMINAL, hostileText, hostileValue } from "./hostile-values.ts";
import { Screen } from "./screen-text.ts";

let box: Box;
beforeAll(() => {
  box = makeBox({ TERM: "dumb", NO_COLOR: "1" });
});
afterAll(() => box.remove());

const WHATS = [
  "replace",
  "replace",
  "replace",
  "nest",
  "double",
  "swap",
  "drop",
  "key",
  "garbage",
  "lengthen",
] as const;

/** A file that looks like a session: lines with correct checksums and wrong values, then damage to its bytes. */
function hostileFile(chance: Chance): Buffer {
  const changes = chance.list(5, (): Change => {
    const value = hostileValue(chance) as Change["value"];
    return { line: chance.below(1_000), place: chance.below(1_000), what: chance.pick(WHATS), value };
  });
  const bytes = Buffer.concat([
    hostileJournal(changes, { cwd: box.dir }),
    ...chance.list(2, () => strangeLine(chance)),
  ]);
  return chance.percent(40) ? damaged(chance, bytes) : bytes;
}

/** Unknown future kinds, cycles of parents, missing parents, duplicate ids, oversized entries. */
function strangeLine(chance: Chance): Buffer {
  const ids = ["e0000000", "e0000008", "o0000001", "nowhere", "z", ""];
  const content = chance.pick([[], [{ kind: "text", text: hostileText(chance) }], hostileValue(chance)]);
  return encodeLine({
    type: chance.pick([
      "message",
      "from_the_future",
      "custom",
      "compaction",
      "leaf",
      "prune",
      "title",
      hostileText(chance),
    ]),
    id: chance.pick(ids),
    parentId: chance.pick([...ids, null]),
    timestamp: chance.pick(["", "2026-01-01T00:00:00.000Z", hostileText(chance)]),
    message: { role: chance.pick(["user", "assistant", "tool", "system"]), content },
    ...(chance.percent(10) ? { data: "x".repeat(500_000) } : {}),
  });
}

function damaged(chance: Chance, bytes: Buffer): Buffer {
  const at = chance.below(bytes.length);
  switch (chance.below(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(hostileText(chance)), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes, Buffer.from(chance.pick(["{", "\0".repeat(4096), "null\n", hostileText(chance)]))]);
    default: {
      const flipped = Buffer.from(bytes);
      for (let flips = 1 + chance.below(20); flips > 0; flips--)
        flipped[chance.below(bytes.length)] = chance.below(256);
      return flipped;
    }
  }
}

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** At a terminal, where text must not act on it. */
async function atTerminal(work: (machine: Machine) => Promise<number>): Promise<Run> {
  const [stdin, stdout, stderr] = [new PassThrough(), new Screen(), new Screen()];
  stdin.end();
  const code = await work(
    box.machine({
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdout: textOnly(stdout as unknown as NodeJS.WriteStream),
      stderr: textOnly(stderr as unknown as NodeJS.WriteStream),
    }),
  ).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    stderr.write(`lathe: ${error.message}\n`);
    return error.exitCode;
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

const resume = (path: string): Promise<Run> =>
  atTerminal((machine) => launch(["--model", "practice/basic", "--session", path, "-p", "hello"], machine));

it("D3 a made-up session ends no process, draws on no terminal and keeps every byte that was there", async () => {
  const folder = join(box.home, "sessions", sessionFolderName(box.dir));
  const path = join(folder, "2026_hostile.jsonl");
  mkdirSync(folder, { recursive: true });
  await rounds("hostile journals", { few: 15, many: 10_000 }, async (chance) => {
    const bytes = hostileFile(chance);
    writeFileSync(path, bytes);
    for (const args of [
      ["list", "--all"],
      ["show", path, "--full"],
      ["search", "findable"],
      ["export", path, "--out", "-"],
    ]) {
      const { code, stdout, stderr } = await mustEnd(
        30_000,
        args.join(" "),
        atTerminal((machine) => runSubcommand("sessions", args, machine)),
      );
      // A page goes to a file or a pipe, not to a terminal.
      const shown = args[0] === "export" ? stderr : stdout + stderr;
      expect({ args, code, acts: ACTS_ON_TERMINAL.exec(shown) }).toEqual({
        args,
        code: expect.toBeOneOf([0, 1, 2]),
        acts: null,
      });
    }
    expect(readFileSync(path).equals(bytes)).toBe(true);
    const resumed = await mustEnd(30_000, "the resumed run", resume(path));
    if (![0, 1, 2, 4, 6].includes(resumed.code)) throw new Error(`resumed with ${JSON.stringify(resumed)}`);
    if (resumed.code === 2) expect(resumed.stderr.trimEnd().split("\n")).toHaveLength(1);
    const after = readFileSync(path).subarray(0, bytes.length);
    // Half a line at the end may be sealed; complete lines stay unchanged.
    const whole = bytes.lastIndexOf(10) + 1;
    expect(after.subarray(0, whole).equals(bytes.subarray(0, whole))).toBe(true);
  });
}, 3_600_000);
