// Shortens the output of a command: drops lines that only report success or progress, and folds repeated lines. A line
// that may be about a failure always stays, so that nothing has to be run again to see what went wrong.

import { FILTERS, RUNS_OTHERS } from "./filters.ts";

/** A shorter text, and how many lines were dropped. */
export interface Minimized {
  readonly text: string;
  readonly dropped: number;
  readonly folded: number;
}

/** Shorter outputs are not worth minimizing. */
const WORTHWHILE_CHARS = 1_000;
const WORTHWHILE_SHARE = 0.8;
const FEWEST_REPEATS = 4;

const PLACE = /[\w\])][.\w-]*:\d+(?::\d+)?\b|\(\d+,\d+\)|\bline \d+\b|\bat \S+ \(/i;
const TROUBLE = new RegExp(
  [
    "err(?:or|no)?\\b|errors|exception|traceback|fail|fatal|panic|crash|abort|assert|warn|caution|deprecat|vulnerab",
    "invalid|illegal|unexpected|expected|unknown|undefined|unresolved|unreachable|unable|cannot|can't|could not|couldn't|don't|not ",
    "missing|mismatch|conflict|denied|refused|reject|timed? ?out|timeout|killed|segfault|core dumped|leak|overflow|corrupt|broken",
    "skip|todo|pending|xfail|flak|retry|unsupported|obsolete|unstable|slow|security|critical|severe|problem|issue|bug|\\bE\\d{3,}|TS\\d{3,}",
    "✗|✘|✖|×|❌|⚠|●|❯|⎯|≠|↓",
  ].join("|"),
  "i",
);

/** Whether a line may report a failure or its position. */
const isTelling = (line: string): boolean => TROUBLE.test(line) || PLACE.test(line);

/** Undefined if the output should stay unchanged. */
export function minimize(command: string, output: string): Minimized | undefined {
  if (output.length < WORTHWHILE_CHARS) return undefined;
  const kept = withoutSuccess(command, output.split("\n"));
  const folded = foldRepeats(kept.lines);
  const text = folded.lines.join("\n");
  if (text.length > output.length * WORTHWHILE_SHARE) return undefined;
  return { text, dropped: kept.dropped, folded: folded.count };
}

function withoutSuccess(command: string, lines: readonly string[]): { lines: readonly string[]; dropped: number } {
  const drops = dropsFor(command);
  if (drops.length === 0) return { lines, dropped: 0 };
  const kept: string[] = [];
  let dropped = 0;
  let isAfterGap = false;
  for (const line of lines) {
    const said = line.trimEnd();
    const isBlank = said === "";
    if (!isBlank && !isTelling(said) && drops.some((drop) => drop.test(said))) {
      dropped++;
      isAfterGap = true;
      continue;
    }
    // Otherwise a gap would leave behind only its blank lines.
    if (isBlank && isAfterGap && kept.at(-1)?.trim() === "") continue;
    kept.push(line);
    if (!isBlank) isAfterGap = false;
  }
  return { lines: kept, dropped };
}

function dropsFor(command: string): readonly RegExp[] {
  const isWrapper = RUNS_OTHERS.test(command);
  return FILTERS.flatMap((filter) => (isWrapper || filter.command.test(command) ? filter.drops : []));
}

/** Keeps the first of equal lines and says how many more there were. */
function foldRepeats(lines: readonly string[]): { lines: readonly string[]; count: number } {
  const folded: string[] = [];
  let count = 0;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    let end = at + 1;
    while (end < lines.length && lines[end] === line) end++;
    const more = end - at - 1;
    if (more + 1 < FEWEST_REPEATS || line.trim() === "" || isTelling(line)) folded.push(...lines.slice(at, end));
    else {
      folded.push(line, `[the line above ${more} more times]`);
      count += more;
    }
    at = end;
  }
  return { lines: folded, count };
}
