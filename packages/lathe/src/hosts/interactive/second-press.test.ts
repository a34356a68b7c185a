import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { SecondPress } from "./second-press.ts";

it("a second press that lay unread in the terminal when its time ran out still leaves; a later one does not", async () => {
  let runOut = (): void => {};
  const presses = new SecondPress<"Ctrl+C" | "Ctrl+D">((callback) => {
    runOut = callback;
    return { cancel() {} };
  });
  presses.begin("Ctrl+C");
  // A process that was stalled runs its timers first, and then reads what was typed meanwhile.
  runOut();
  expect([presses.isSecond("Ctrl+C"), presses.isSecond("Ctrl+D")]).toEqual([true, false]);
  await setImmediate();
  expect(presses.isSecond("Ctrl+C")).toBe(false);
});

it("the time of an earlier press does not end that of a later one", async () => {
  const timers: (() => void)[] = [];
  const presses = new SecondPress<"Ctrl+C">((callback) => {
    timers.push(callback);
    return { cancel() {} };
  });
  presses.begin("Ctrl+C");
  timers[0]?.();
  presses.begin("Ctrl+C");
  await setImmediate();
  expect(presses.isSecond("Ctrl+C")).toBe(true);
});
