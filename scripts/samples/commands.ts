// Splits a shell sample into single commands, as a shell would.
import { spawnSync } from "node:child_process";

/**
 * A command may span lines: a here-document, a loop, a backslash. Comments and empty lines belong to the next command.
 */
export function commandsOf(text: string): string[] {
  const commands: string[] = [];
  let pending: string[] = [];
  for (const line of text.split("\n")) {
    pending.push(line);
    if (!isComplete(pending)) continue;
    commands.push(pending.join("\n"));
    pending = [];
  }
  if (pending.some((line) => !isEmpty(line))) throw new Error(`this is not a whole command:\n${pending.join("\n")}`);
  return commands;
}

function isComplete(lines: readonly string[]): boolean {
  if (lines.every(isEmpty) || lines.at(-1)?.endsWith("\\")) return false;
  const check = spawnSync("bash", ["-n"], { input: lines.join("\n"), encoding: "utf8" });
  return check.status === 0 && !check.stderr.includes("here-document");
}

const isEmpty = (line: string): boolean => /^\s*(#|$)/.test(line);
