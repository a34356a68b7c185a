import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Key } from "../keys/key.ts";
import { type InputStream, type OutputStream, ProcessTerminal } from "./process-terminal.ts";
import { WindowSizeQuestion } from "./window-size.ts";

describe("in a process that stood still", () => {
  // Timers fire first, and only then is the waiting input read.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const read = () => new Promise((resolve) => setImmediate(resolve));

  it("an arrow key whose bytes came in two pieces is no Escape, which would stop the work", async () => {
    const input = Object.assign(new EventEmitter(), { setEncoding() {}, setRawMode() {}, resume() {}, pause() {} });
    const output = Object.assign(new EventEmitter(), { write: () => true, columns: 80, rows: 24 });
    const keys: Key[] = [];
    const terminal = new ProcessTerminal({
      input: input as unknown as InputStream,
      output: output as unknown as OutputStream,
      env: { TERM: "xterm" },
    });
    terminal.start({ onKey: (key) => keys.push(key) });
    input.emit("data", "\x1b");
    vi.advanceTimersByTime(10_000);
    input.emit("data", "[A");
    await read();
    expect(keys).toMatchObject([{ kind: "key", name: "up" }]);
    input.emit("data", "\x1b");
    vi.advanceTimersByTime(10_000);
    await read();
    expect(keys.at(-1)).toMatchObject({ kind: "key", name: "escape" });
    terminal.stop();
  });

  it("the size that tmux has answered counts, not the one that the system has not heard of yet", async () => {
    const question = new WindowSizeQuestion(
      () => {},
      () => ({ columns: 100, rows: 24 }),
    );
    question.confirm(() => {});
    question.handleAnswer([24, 100]);
    const drawnFor: number[] = [];
    const draw = (): void => void drawnFor.push(question.size.columns);
    question.confirm(draw);
    vi.advanceTimersByTime(10_000);
    question.handleAnswer([24, 80]);
    await read();
    // The size is asked for again until it stays the same.
    vi.advanceTimersByTime(30);
    question.handleAnswer([24, 80]);
    await read();
    expect(drawnFor).toEqual([80]);
  });
});
