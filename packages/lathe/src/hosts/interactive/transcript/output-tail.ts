// The end of what a running command prints, in bounded memory: whole lines as a terminal would show them.

import { plainOutput } from "@lathe/agent/tools";
import type { LiveLines } from "./item.ts";

const KEPT_LINES = 50;
const LONGEST_LINE = 4096;

export class OutputTail {
  #lines: string[] = [];
  /** The unfinished line in its raw form, because an escape sequence may be split. */
  #open = "";
  #total = 0;

  push(delta: string): void {
    const pieces = (this.#open + delta).split("\n");
    this.#open = boundLine(pieces.pop() ?? "");
    this.#total += pieces.length;
    this.#lines.push(...pieces.slice(-KEPT_LINES).map((line) => lastStateOf(boundLine(line))));
    if (this.#lines.length > KEPT_LINES) this.#lines = this.#lines.slice(-KEPT_LINES);
  }

  get lines(): LiveLines {
    const open = lastStateOf(this.#open);
    if (open.trim() === "") return { lines: this.#lines, total: this.#total };
    return { lines: [...this.#lines, open], total: this.#total + 1 };
  }
}

const boundLine = (line: string): string => (line.length > 2 * LONGEST_LINE ? line.slice(-LONGEST_LINE) : line);

/** A progress line overwrites itself, so only its last state is kept. */
function lastStateOf(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return plainOutput(text.slice(text.lastIndexOf("\r") + 1));
}
