import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ShellAnalysis, ShellPart } from "../../src/contract/shell.ts";
import { analyseShell } from "../../src/policy/shell/analyse.ts";
import { drawFrom } from "./random-commands.ts";
import { randomOptions, subjects } from "./random-options.ts";
import { type Deeds, type Watched, Witness } from "./witness.ts";

const isLong = Boolean(process.env["LATHE_LONG"]);
const RUNS = isLong ? 10_000 : 50;

let folder: string;
let witness: Witness;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-witness-")));
  witness = new Witness(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The listed program's own programs, which it starts by itself. */
const OWN =
  /\/(?:bash|sh|git|gzip|man|nroff|tbl|groff|troff|grotty|preconv|groffer|zcat|zgrep|grep|sed|cat|egrep|fgrep|perl|shasum|sdiff|diff|getent|lesspipe|man-db|mandb|locale|col|manpath|expr|apropos|whatis|iconv)$/;

/** How many commands one start of strace handles. */
const BATCH = 50;

describe("commands that were judged harmless, run for real", () => {
  it("none reads, writes or starts anything that the judgement did not name", {
    timeout: isLong ? 3_600_000 : 600_000,
  }, async () => {
    const all = subjects();
    const faults: string[] = [];
    let [seed, ran] = [20_261, 0];
    while (ran < RUNS && faults.length < 20) {
      const batch: (Watched & { analysis: ShellAnalysis })[] = [];
      for (; batch.length < BATCH; seed++) {
        const command = randomOptions(drawFrom(seed * 7919), all, witness.outside);
        const analysis = await analyseShell(command, { cwd: witness.cwd, home: join(folder, "home") });
        if (analysis.doubt !== undefined || !analysis.parts.every(({ isHarmless }) => isHarmless)) continue;
        batch.push({ command, analysis, changes: !analysis.parts.every(({ isReadOnly }) => isReadOnly) });
      }
      ran += batch.length;
      const deeds = witness.run(batch);
      for (const [at, { command, analysis }] of batch.entries())
        faults.push(...undeclared(analysis.parts, deeds[at] as Deeds).map((what) => `${command}: ${what}`));
    }
    expect(faults).toEqual([]);
    expect(ran).toBe(RUNS);
  });

  it("the witness sees what a command does that nothing declares, however it does it", () => {
    const planted: readonly (readonly [command: string, seen: RegExp])[] = [
      ["cat @/secret", /^reads .*outside\/secret$/],
      ["cat < @/secret", /^reads .*outside\/secret$/],
      ["cat a.txt | cat - @/secret | cat", /^reads .*outside\/secret$/],
      ["(sleep 0.1; cat @/secret) & cat a.txt; wait", /^reads .*outside\/secret$/],
      ["cd @ && cat secret", /^reads .*outside\/secret$/],
      ["cp @/secret '@/a) = 1'", /^writes .*outside\/a\) = 1$/],
      ["echo x > @/made", /^writes .*outside\/made$/],
      ["touch NAME=1", /^writes .*work\/NAME=1$/],
      ["ln -s @ out && touch out/through", /^writes .*(?:out|through)$/],
      ["mkdir -p sub/c/d && cd sub/c && mkdir e", /^writes .*work\/sub\/c\/e$/],
      ["cd sub && (cd @ && mkdir there)", /^writes .*outside\/there$/],
      ["touch 'a \"b\"'", /^writes .*work\/a "b"$/],
      ["mkdir @/folder", /^writes .*outside\/folder$/],
      ["mv x @/moved", /^writes .*outside\/moved$/],
      ["rm a.txt", /^writes .*work\/a.txt$/],
      ["chmod 700 a.txt", /^writes .*work\/a.txt$/],
      ["@/run", /^starts .*outside\/run$/],
      ["find . -name x -exec @/run ';'", /^starts .*outside\/run$/],
      ["exec 3<> /dev/tcp/127.0.0.1/9", /^connects .*AF_INET/],
      ["echo x > /dev/udp/127.0.0.1/9", /^connects .*AF_INET/],
      // It outlives its command: nothing may be recreated after it.
      ["setsid -f cat @/secret", /^reads .*outside\/secret$/],
    ];
    const commands = planted.map(([command]) => command.replaceAll("@", witness.outside));
    const deeds = witness.run(commands.map((command) => ({ command, changes: !command.startsWith("setsid") })));
    const unseen = planted.filter(
      ([, seen], at) => !undeclared([], deeds[at] as Deeds).some((what) => seen.test(what)),
    );
    expect(unseen).toEqual([]);
    // Nothing is blamed on a neighbour, and only looking is no effect.
    const quiet = witness.run(
      ["setsid -f cat a.txt", "true", "ls", "echo x"].map((command) => ({ command, changes: false })),
    );
    expect(quiet.map((deed) => undeclared([], deed).filter((what) => what.startsWith("reads")))).toEqual([
      [`reads ${join(witness.cwd, "a.txt")}`],
      [],
      [],
      [],
    ]);
  });
});

/** Effects beyond what the parts declare. */
function undeclared(parts: readonly ShellPart[], { read, written, started, connected }: Deeds): string[] {
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
          // `mkdir -p` creates the parent folders as well.
          !writes.some((one) => one.startsWith(`${path}/`)) &&
          !(isGit && path.startsWith(git)),
      )
      .map((path) => `writes ${path}`),
    ...read
      .filter((path) => isOurs(path) && path !== witness.cwd && !isNamed(path, reads))
      // Git looks at the files of its own repository.
      .filter((path) => !(isGit && path.startsWith(witness.cwd)))
      .map((path) => `reads ${path}`),
    ...started.filter((path) => !programs.has(posix.basename(path)) && !OWN.test(path)).map((path) => `starts ${path}`),
    ...connected.map((what) => `connects ${what.slice(0, 80)}`),
  ];
}
