import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ShellAnalysis } from "../../src/contract/shell.ts";
import { analyseShell } from "../../src/policy/shell/analyse.ts";
import { drawFrom } from "./random-commands.ts";
import { randomOptions, subjects } from "./random-options.ts";
import { type Deeds, Witness } from "./witness.ts";

const isLong = Boolean(process.env["LATHE_LONG"]);
const RUNS = isLong ? 10_000 : 500;

let folder: string;
let witness: Witness;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-witness-")));
  witness = new Witness(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Programs that a listed one starts by itself, and that are its own. */
const OWN =
  /\/(?:bash|sh|git|gzip|man|nroff|tbl|groff|troff|grotty|preconv|groffer|zcat|zgrep|grep|sed|cat|egrep|fgrep|perl|shasum|sdiff|diff|getent|lesspipe|man-db|mandb|locale|col|manpath)$/;

describe("commands that were judged harmless, run for real", () => {
  it("none reads, writes or starts anything that the judgement did not name", {
    timeout: isLong ? 3_600_000 : 180_000,
  }, async () => {
    const all = subjects();
    const faults: string[] = [];
    let [seed, ran] = [20_261, 0];
    for (; ran < RUNS && faults.length < 20; seed++) {
      const command = randomOptions(drawFrom(seed * 7919), all, witness.outside);
      const analysis = await analyseShell(command, { cwd: witness.cwd, home: join(folder, "home") });
      if (analysis.doubt !== undefined || !analysis.parts.every(({ isHarmless }) => isHarmless)) continue;
      ran++;
      const deeds = witness.run(command);
      faults.push(...undeclared(analysis, deeds).map((what) => `${command}: ${what}`));
      if (deeds.written.some((path) => path.startsWith(witness.cwd))) witness.reset();
    }
    expect(faults).toEqual([]);
    expect(ran).toBe(RUNS);
  });
});

function undeclared({ parts }: ShellAnalysis, { read, written, started, connected }: Deeds): string[] {
  const named = (paths: readonly string[]) => paths.map((path) => posix.resolve(witness.cwd, path));
  const writes = named(parts.flatMap((part) => part.writes));
  const reads = [...writes, ...named(parts.flatMap((part) => [...part.reads, ...part.trees]))];
  const programs = new Set(parts.flatMap(({ words, through }) => [words[0] ?? "", ...through]));
  const temporary = join(folder, "tmp/");
  const isOurs = (path: string) => path.startsWith(folder) && !path.startsWith(temporary);
  const isNamed = (path: string, list: readonly string[]) =>
    list.some((one) => path === one || path.startsWith(`${one}/`));
  const git = join(witness.cwd, ".git");
  const isGit = programs.has("git");
  return [
    ...written
      .filter(
        (path) =>
          !/^\/dev\/(?:null|tty)$/.test(path) &&
          !path.startsWith(temporary) &&
          !isNamed(path, writes) &&
          !(isGit && path.startsWith(git)),
      )
      .map((path) => `writes ${path}`),
    ...read
      .filter((path) => isOurs(path) && !isNamed(path, reads))
      // Git looks at the files of its own repository.
      .filter((path) => !(isGit && path.startsWith(witness.cwd)))
      .map((path) => `reads ${path}`),
    ...started.filter((path) => !programs.has(posix.basename(path)) && !OWN.test(path)).map((path) => `starts ${path}`),
    ...connected.map((what) => `connects ${what.slice(0, 80)}`),
  ];
}
