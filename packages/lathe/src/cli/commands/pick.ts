// A numbered list from which the user at a terminal picks one item.

import { createInterface } from "node:readline/promises";
import type { Machine } from "../../platform/machine/machine.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";

/** Returns the index of the item, from 0. */
export async function pick(question: string, choices: readonly string[], { stdin, stderr }: Machine): Promise<number> {
  const lines = createInterface({ input: stdin, output: stderr });
  for (const [at, choice] of choices.entries()) stderr.write(`${at + 1}. ${choice}\n`);
  stderr.write(question);
  try {
    for await (const line of lines) {
      const picked = Number(line.trim());
      if (Number.isInteger(picked) && picked >= 1 && picked <= choices.length) return picked - 1;
      stderr.write(`Type a number from 1 to ${choices.length}.\n${question}`);
    }
  } finally {
    lines.close();
  }
  throw new CliError(EXIT.interrupted, "Nothing was chosen.");
}
