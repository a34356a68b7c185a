// A disk that cannot be written, and what follows; answers of any length; links and commands in basic terminals.

import { mkdir, rm, writeFile } from "node:fs/promises";
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

it("G-28 a session that cannot be written is said at the start and once per message; the text stays, and it works when it can be written", async () => {
  const home = bench.box.env["LATHE_HOME"] ?? "";
  const sessions = join(home, "sessions");
  await mkdir(home, { recursive: true });
  await writeFile(sessions, "in the way");
  bench.server.push(turn.text("first answer"), turn.text("second answer"), turn.text("third answer"));
  const run = await bench.open(SONNET, { columns: 220, rows: 30 });
  await run.see(/This session cannot be saved: .*sessions is a file\).* LATHE_HOME .*--no-session/);
  run.type(`hello there${KEY.enter}`);
  await run.see(/✗ The folder for sessions cannot be created[\s\S]*─\n❯ hello there/);
  expect(run.all.filter((row) => row.startsWith("✗"))).toHaveLength(1);
  await rm(sessions);
  run.type(KEY.enter);
  await run.see(/The session had ended because its file could not be written[\s\S]*answer/);
  await run.see(/❯ Ask for a change/);
});

describe("in a terminal that makes no links", () => {
  it.each([
    [
      { TMUX: "x", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.3a" },
      /See the docs \(https:\/\/example\.com\/docs\)/,
    ],
    [{ TMUX: "x", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.4" }, /See the docs\n/],
  ])("%j the address is there to be read", async (env, shown) => {
    bench.server.push(turn.text("See [the docs](https://example.com/docs)\n"));
    const run = await bench.open(SONNET, { env });
    run.type(`go${KEY.enter}`);
    await run.see(shown);
  });
});

it("a very long answer is opened at its beginning without waiting for its end", async () => {
  const lines = Array.from({ length: 3_000 }, (_, i) => `- point ${i} with **bold** words and \`code\` in it`);
  bench.server.push(turn.text(lines.join("\n")));
  await bench.box.run([...SONNET, "-p", "go"], { env: bench.env });
  const run = bench.start(["-c"], { columns: 100 });
  await run.see("point 2999");
  run.type(KEY.ctrl("o"));
  await run.see(/Transcript +1-\d+ of many[\s\S]*point 3/);
  run.type("/point 500 with");
  run.type(KEY.enter);
  await run.see(/point 500 with/);
});

it("CO-09 what was said before a compaction stays in the buffer, also after a resume; ctrl+o has the summary, without marks for the model", async () => {
  const summary = "## Goal\nShip it.\n\n## Done\nThe first half.\n\n## Next steps\nThe second half.";
  bench.server.push(turn.text(`the beginning ${"word ".repeat(2000)}`), turn.text("briefly"), turn.text(summary));
  const run = await bench.open();
  run.type(`first question${KEY.enter}`);
  await run.seeAnywhere("the beginning");
  await run.see("❯ Ask for a change");
  run.type(`second question${KEY.enter}`);
  await run.see("briefly");
  await run.see("❯ Ask for a change");
  run.type(`/compact${KEY.enter}`);
  const whole = /first question[\s\S]*the beginning[\s\S]*second question[\s\S]*── Earlier messages summarized/;
  await run.seeAnywhere(whole);
  await run.close();
  const again = bench.start(["-c"]);
  await again.seeAnywhere(whole);
  await again.see("❯ Ask for a change");
  again.type(KEY.ctrl("o"));
  await again.see("Transcript");
  again.type("G");
  expect((await again.see(/Done\s+The first half/)).join("\n")).not.toContain("<!--");
});
