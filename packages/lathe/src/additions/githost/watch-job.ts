// A CI watch as a command that can continue in the background: a call waits for it, and it may outlive the call.

import type { BackgroundCommand, ExecResult } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";

interface WatchOutcome {
  readonly text: string;
  readonly isSuccess: boolean;
}

/** The work of a watch, which runs until `signal` fires; `onOutput` gets its progress. */
export type WatchWork = (signal: AbortSignal, onOutput: (text: string) => void) => Promise<WatchOutcome>;

export interface WatchCommand extends BackgroundCommand {
  /** Undefined while it runs, and if it was ended from outside. */
  readonly outcome: WatchOutcome | undefined;
  readonly error: unknown;
}

export function startWatch(
  command: string,
  work: WatchWork,
  { now, onOutput }: { readonly now: () => number; readonly onOutput: (text: string) => void },
): WatchCommand {
  const ended = new AbortController();
  const started = now();
  let output = Buffer.alloc(0);
  const add = (text: string): void => {
    output = Buffer.concat([output, Buffer.from(text)]);
  };
  const state: { running: boolean; outcome?: WatchOutcome; error?: unknown } = { running: true };
  const result = (exitCode: number, extra: Partial<ExecResult> = {}): ExecResult => {
    state.running = false;
    const text = output.toString("utf8");
    const facts = { stdout: text, stderr: "", output: text, outputBytes: output.length, truncated: false };
    return { ...facts, exitCode, timedOut: false, aborted: false, durationMs: now() - started, ...extra };
  };
  const run = async (): Promise<ExecResult> => {
    try {
      const outcome = await work(ended.signal, (text) => {
        add(text);
        onOutput(text);
      });
      state.outcome = outcome;
      add(`${outcome.text}\n`);
      return result(outcome.isSuccess ? 0 : 1);
    } catch (error) {
      if (ended.signal.aborted) return result(-1, { signal: "SIGTERM" });
      state.error = error;
      add(`${messageOf(error)}\n`);
      return result(1);
    }
  };
  const done = run();
  return {
    command,
    done,
    get running() {
      return state.running;
    },
    get outcome() {
      return state.outcome;
    },
    get error() {
      return state.error;
    },
    read: (from = 0) => ({ text: output.subarray(from).toString("utf8"), next: output.length, missed: 0 }),
    stop: async () => {
      ended.abort();
      await done;
    },
  };
}
