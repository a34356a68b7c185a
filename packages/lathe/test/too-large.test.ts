// A message that cannot fit the context window of the model, from a pipe and in the terminal.

import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";
import { SONNET, TerminalBench } from "./terminal/bench.ts";
import { KEY } from "./terminal/emulator.ts";

let scene: Stage | undefined;
let bench: TerminalBench | undefined;
afterEach(async () => {
  await scene?.close();
  await bench?.close();
  scene = undefined;
  bench = undefined;
});

const LARGE = "word ".repeat(800_000);

it("a piped text larger than the context window is refused before anything is sent", async () => {
  scene = await stage([turn.text("ok")]);
  const { code, stdout, stderr } = await scene.run(["-p", "Summarize this"], { stdin: LARGE });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(
    /^lathe: This message is too large: about 1(\.0\d?)?M tokens, but the context window of \S+ has \S+\. Save the text to a file .*\n$/,
  );
  expect(scene.server.requests).toEqual([]);
  expect(await scene.run(["-p", "hi"])).toMatchObject({ code: 0, stdout: "ok\n" });
});

it("in the terminal it stays in the input, and the session goes on without a summary", async () => {
  bench = await TerminalBench.open();
  bench.server.push(turn.text("fine"));
  const run = await bench.open(SONNET, { columns: 200, rows: 30 });
  await run.see(/❯ Ask for a change/);
  run.type(`\x1b[200~${"word ".repeat(300_000)}\x1b[201~`);
  run.type(KEY.enter);
  await run.see(/This message is too large: about \d+k tokens/);
  expect(bench.server.requests).toEqual([]);
  await run.see(/❯ .*word word/);
});
