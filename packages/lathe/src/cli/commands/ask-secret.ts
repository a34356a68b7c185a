// Reads what the user types at a terminal: a key that is not echoed, and pasted lines.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Machine } from "../../platform/machine/machine.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";

export async function askSecret(question: string, { stdin, stderr }: Machine): Promise<string> {
  // readline keeps the terminal in raw mode and echoes to its output, so this output discards everything.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  stderr.write(question);
  const stop = new AbortController();
  lines.once("SIGINT", () => stop.abort());
  lines.once("close", () => stop.abort());
  try {
    return await lines.question("", { signal: stop.signal });
  } catch (error) {
    throw new CliError(EXIT.interrupted, "No key was given.", { cause: error });
  } finally {
    lines.close();
    stderr.write("\n");
  }
}

/** Reads until the signal aborts, then releases the terminal. */
export async function* linesOf(input: Machine["stdin"], signal: AbortSignal): AsyncIterable<string> {
  const lines = createInterface({ input, terminal: false });
  signal.addEventListener("abort", () => lines.close(), { once: true });
  yield* lines;
  input.pause();
}
