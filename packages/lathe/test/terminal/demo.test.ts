// `lathe demo` at a real terminal, which is what `npm start` opens.

import { afterEach, beforeEach, expect, it } from "vitest";
import { TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

it("the demo waits with its request in the composer; Enter and one answer later the test is fixed", async () => {
  const run = bench.start(["demo"]);
  await run.see(/practice\/basic[\s\S]*❯ fix the failing test/);
  run.type(KEY.enter);
  await run.see(/Yes, this once[\s\S]*Esc to stop/);
  run.type("a");
  await run.seeAnywhere(/Edited src\/invoice\.js · \+1 -1[\s\S]*# fail 0[\s\S]*basic · \d/);
  run.type(`/quit${KEY.enter}`);
  expect(await run.exited).toBe(0);
});
