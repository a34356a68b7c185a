// `lathe demo` at a real terminal, which is what `npm start` opens.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SAMPLE } from "../command.ts";
import { BUILT, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

it("the demo waits with its request in the composer; Enter and one answer later the test is fixed; the README's /diff and /undo work", async () => {
  const run = bench.start(["demo"], BUILT);
  await run.see(/practice\/basic[\s\S]*❯ fix the failing test/);
  run.type(KEY.enter);
  await run.see(/Yes, this once[\s\S]*Esc to stop/);
  run.type("a");
  await run.seeAnywhere(/Edited src\/invoice\.js · \+1 -1[\s\S]*# fail 0[\s\S]*basic · \d/);
  run.type(`/diff${KEY.enter}`);
  await run.see(/src\/invoice\.js \(\+1 -1\)[\s\S]*q close/);
  run.type("q");
  await run.see((screen) => !screen.includes("q close"));
  run.type(`/undo${KEY.enter}`);
  await run.see("1 file restored.");
  const folder = /in (\/\S*lathe-demo-\w+)/.exec(run.all.join("\n"))?.[1] ?? "";
  expect(await readFile(join(folder, "src/invoice.js"))).toEqual(await readFile(join(SAMPLE, "src/invoice.js")));
  run.type(`/quit${KEY.enter}`);
  expect(await run.exited).toBe(0);
});
