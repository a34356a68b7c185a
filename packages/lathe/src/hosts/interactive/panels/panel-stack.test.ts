import { expect, it } from "vitest";
import { type Panel, PanelStack } from "./panel-stack.ts";

/** A clock under the test's control. System timers may fire a millisecond early, as `earlyMs` does here. */
function clocked(earlyMs = 0) {
  let now = 10_000;
  let timers: { at: number; callback: () => void }[] = [];
  const stack = new PanelStack({
    now: () => now,
    setTimer: (callback, ms) => {
      const timer = { at: now + ms - earlyMs, callback };
      timers.push(timer);
      const cancel = (): void => {
        timers = timers.filter((one) => one !== timer);
      };
      return { cancel };
    },
    isComposerEmpty: () => true,
    onOpen: () => {},
    onChange: () => {},
  });
  const pass = (ms: number): void => {
    now += ms;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { callback } of due) callback();
  };
  return { stack, pass };
}

const question = (): Panel => ({
  component: { render: () => [], handle: () => true, hint: "" } as Panel["component"],
  byAgent: true,
  cancel: () => {},
});

it("a user who leaves a question for the input stays there, however long they think: the first letter of a message answers nothing", () => {
  const { stack, pass } = clocked();
  const first = question();
  stack.open(first);
  pass(1_000);
  expect(stack.focused).toBe(first);
  stack.keyPressed();
  stack.unfocus();
  stack.focusWhenDue();
  pass(60_000);
  expect(stack.focused).toBeUndefined();
  expect(stack.hint).toContain("Tab to answer");
  stack.focus();
  expect(stack.focused).toBe(first);
});

it("a question that comes up after one that was left gets the keys after a pause", () => {
  const { stack, pass } = clocked();
  const [first, second] = [question(), question()];
  stack.open(first);
  stack.open(second);
  pass(1_000);
  stack.unfocus();
  stack.close(first);
  pass(1_000);
  expect(stack.focused).toBe(second);
});

it("the next question takes keys when its hint says so, also when the timer comes before the clock", () => {
  const { stack, pass } = clocked(1);
  stack.open({ ...question(), byAgent: false });
  stack.noteNextQuestion();
  expect(stack.hint).toContain("it accepts keys in a moment");
  expect(stack.ignoresKeys).toBe(true);
  pass(299);
  expect(stack.hint).toBe("");
  expect(stack.ignoresKeys).toBe(false);
});

it("after another client has answered, the keys stay with the input: the next question waits for a pause, and Enter is late", () => {
  const { stack, pass } = clocked();
  const [first, second] = [question(), question()];
  stack.open(first);
  pass(1_000);
  stack.keyPressed();
  stack.noteTakenAway(first, true);
  stack.close(first);
  stack.open(second);
  expect([stack.focused, stack.isEnterLate]).toEqual([undefined, true]);
  pass(699);
  expect([stack.focused, stack.isEnterLate]).toEqual([undefined, true]);
  pass(1);
  expect([stack.focused, stack.isEnterLate]).toEqual([second, false]);
  stack.noteTakenAway(first, true);
  expect(stack.isEnterLate).toBe(false);
});
