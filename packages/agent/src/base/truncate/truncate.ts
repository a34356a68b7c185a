// Limits what the model sees of a tool's output: first by characters, always; then by lines, if configured. Every
// omission is marked in the text.

import type { OutputLimit, TruncationMode } from "./limits.ts";

/** Cuts a text to a limit and marks the cut. */
export function truncateOutput(text: string, limit: OutputLimit): string {
  const bounded = truncateChars(text, limit.chars, limit.mode);
  if (limit.lines === undefined) return bounded.text;
  return truncateLines(bounded.text, limit.lines, bounded.marker);
}

interface Truncated {
  readonly text: string;
  /** The line that marks the truncation, when there was one. */
  readonly marker?: string;
}

function truncateChars(text: string, max: number, mode: TruncationMode): Truncated {
  if (text.length <= max) return { text };
  switch (mode) {
    case "head_tail": {
      const head = text.slice(0, safeEnd(text, Math.floor(max / 2)));
      const tail = text.slice(safeStart(text, text.length - Math.floor(max / 2)));
      const removed = text.slice(head.length, text.length - tail.length);
      const marker =
        `[WARNING: Tool output was truncated. ${removed.length + alreadyOmitted(removed)} characters were removed from ` +
        "the middle. The full output is available in the event stream. If you need to see specific parts, re-run the " +
        "tool with more targeted parameters.]";
      return { text: `${head}\n\n${marker}\n\n${tail}`, marker };
    }
    case "tail": {
      const tail = text.slice(safeStart(text, text.length - max));
      const marker =
        `[WARNING: Tool output was truncated. First ${text.length - tail.length} characters were removed. ` +
        "The full output is available in the event stream.]";
      return { text: `${marker}\n\n${tail}`, marker };
    }
    case "head": {
      const head = text.slice(0, safeEnd(text, max));
      const marker =
        `[WARNING: Tool output was truncated. Last ${text.length - head.length} characters were removed. ` +
        "The full output is available in the event stream.]";
      return { text: `${head}\n\n${marker}`, marker };
    }
  }
}

/**
 * How many characters of a command's output were already dropped from memory; the marker that says so is removed here,
 * too.
 */
function alreadyOmitted(removed: string): number {
  const mark = /\n\[\.\.\. (\d+) bytes omitted \.\.\.\]\n/.exec(removed);
  return mark ? Number(mark[1]) - mark[0].length : 0;
}

function truncateLines(text: string, max: number, marker: string | undefined): string {
  const lines = text.split("\n");
  if (lines.length <= max) return text;
  const headCount = Math.floor(max / 2);
  const head = lines.slice(0, headCount);
  const tail = lines.slice(lines.length - (max - headCount));
  const omission = `[... ${lines.length - max} lines omitted ...]`;
  // The character marker may be among the omitted lines.
  const lost = marker !== undefined && !head.includes(marker) && !tail.includes(marker);
  return [...head, omission, ...(lost ? [marker] : []), ...tail].join("\n");
}

/** A cut position that does not split a surrogate pair. */
function safeEnd(text: string, end: number): number {
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}
function safeStart(text: string, start: number): number {
  return isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start;
}
function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
