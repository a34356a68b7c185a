// A play is what the practice model does for one request: a generator that says things, calls tools and reads their
// results. Every model call runs it again from the beginning with the results so far, so it keeps no state.

import type { JsonObject } from "@lathe/llm";

interface Call {
  readonly name: "read" | "bash" | "edit" | "write";
  readonly args: JsonObject;
}

/** One answer of the model: some text, and a call unless the play has ended. */
export interface Step {
  readonly say?: string;
  readonly call: Call;
}

export interface Outcome {
  readonly text: string;
  readonly isError: boolean;
}

/** The return value is the closing answer. */
export type Play = Generator<Step, string, Outcome>;

export const bash = (command: string, say?: string): Step => ({
  call: { name: "bash", args: { command } },
  ...(say ? { say } : {}),
});
export const read = (path: string, say?: string): Step => ({
  call: { name: "read", args: { file_path: path } },
  ...(say ? { say } : {}),
});

/** Standard output in a `bash` result. */
export function stdoutOf(outcome: Outcome): string {
  const match = /^stdout:\n([\s\S]*?)(?:\nstderr:\n[\s\S]*)?\nexit code: -?\d+$/.exec(outcome.text);
  return match?.[1] ?? "";
}

export function exitCodeOf(outcome: Outcome): number {
  const match = /exit code: (-?\d+)$/.exec(outcome.text);
  return match ? Number(match[1]) : -1;
}

/** The background job that the command continues as, if the user sent it to the background. */
export function jobOf(outcome: Outcome): string | undefined {
  return /\[The user sent this command to the background\. It continues as job (\d+)/.exec(outcome.text)?.[1];
}

/** The file's own lines from a `read` result. */
export function linesOf(outcome: Outcome): string[] {
  return outcome.text.split("\n").flatMap((line) => /^\s*\d+\t(.*)$/.exec(line)?.[1] ?? []);
}

export const shellQuote = (text: string): string => `'${text.replace(/'/g, "'\\''")}'`;
