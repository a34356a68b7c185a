// Asks a yes-or-no question at the terminal; without a terminal the answer is no.

import { createInterface } from "node:readline/promises";
import type { Machine } from "../platform/machine/machine.ts";

export async function askYes({ stdin, stderr }: Machine, question: string): Promise<boolean> {
  if (!stdin.isTTY) return false;
  const lines = createInterface({ input: stdin, output: stderr });
  // Ctrl+C and Ctrl+D count as no.
  const answer = await lines.question(`${question} [y/N] `).catch((error: Error) => {
    if (error.name !== "AbortError") throw error;
    stderr.write("\n");
    return "";
  });
  lines.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
