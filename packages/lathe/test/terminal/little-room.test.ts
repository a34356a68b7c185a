// Questions on small screens and about long commands, files named with @, and cards: what the user sees of them.

import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

const ASK = [...SONNET, "--permission-mode", "ask"];
const shell = (command: string) => ({ name: "shell", args: { command } });

describe("an approval", () => {
  const long = `${Array.from({ length: 60 }, (_, i) => `touch line ${i + 1}`).join("\n")}\ntouch the end`;

  it.each([
    [40, 10],
    [20, 6],
  ])("at %dx%d shows the question, the beginning of the command and the answers", async (columns, rows) => {
    bench.server.push(turn.calls([shell(long)]), turn.text("ok"));
    const run = await bench.open(ASK, { columns: 80, rows: 24, env: { HOME: bench.box.dir } });
    run.type(`go${KEY.enter}`);
    await run.see("Esc to stop");
    run.resize(columns, rows);
    const screen = await run.see(/Run this comm[\s\S]*│ touch line 1\b[\s\S]*y {1,2}(Yes|yes)[\s\S]*n {1,2}(No|no)/);
    expect(screen.at(-2)).toContain("v to see every");
    run.type("n");
    await run.seeAnywhere("ok");
  });

  it("of a long command shows the end as well, how much is between, and that yes is said to more than is seen", async () => {
    bench.server.push(turn.calls([shell(long)]), turn.text("ok"));
    const run = await bench.open(ASK, { columns: 100, rows: 34 });
    run.type(`go${KEY.enter}`);
    await run.see(
      /│ touch line 1\n[\s\S]*… \d+ more lines \(v shows all\)\n[\s\S]*│ touch the end\n[\s\S]*y {2}Yes, this once \(not fully shown: press v\)[\s\S]*Esc to stop/,
    );
    run.type("v");
    await run.see(() => run.isAlternate);
    run.type("G");
    await run.see(/touch line 59[\s\S]*touch the end/);
  });
});

describe("files after an @", () => {
  it("beside a folder of very many files, those of the project itself are found", async () => {
    const big = join(bench.box.dir, "big");
    await mkdir(big);
    await writeFile(join(bench.box.dir, "README.md"), "read me\n");
    execFileSync("sh", ["-c", "seq -f f%.0f.txt 20050 | xargs touch"], { cwd: big });
    const run = await bench.open();
    run.type("@READ");
    await run.see(/❯ README\.md[\s\S]*Not all files are listed/);
  });

  it("folders, paths outside and the home folder are completed; that nothing matches is said", async () => {
    await mkdir(join(bench.box.dir, "source", "inner"), { recursive: true });
    await writeFile(join(bench.box.dir, "source", "inner", "deep.txt"), "x");
    await writeFile(join(bench.box.dir, "..", "outside.txt"), "x");
    await writeFile(join(bench.box.home, "mine.txt"), "x");
    const run = await bench.open();
    run.type("@sour");
    await run.see(/❯ source\//);
    run.type(KEY.tab);
    await run.see(/source\/inner\/\n/);
    run.type(KEY.ctrl("u"));
    run.type("@../out");
    await run.see(/❯ \.\.\/outside\.txt/);
    run.type(KEY.ctrl("u"));
    run.type("@~/mi");
    await run.see(/❯ ~\/mine\.txt/);
    run.type(KEY.ctrl("u"));
    run.type("@/et");
    await run.see(/❯ \/etc\//);
    run.type(KEY.ctrl("u"));
    run.type("@zzznothing");
    await run.see("No file matches zzznothing");
  });
});

it("a card shows what the command printed, not what only the model is told", async () => {
  bench.server.push(turn.calls([shell("seq 1 9000 | sed 's/^/number /'")]), turn.text("counted"));
  const run = await bench.open([...SONNET, "--permission-mode", "full"], { columns: 100 });
  run.type(`go${KEY.enter}`);
  await run.see(/number 9000\n[\s\S]*counted/);
  expect(run.all.join("\n")).not.toMatch(/exit code|artifact:/);
});
