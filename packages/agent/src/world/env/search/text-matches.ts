// The matching lines of one text, with context, for engines without ripgrep.

import type { GrepLine, GrepOptions, GrepRange } from "../types.ts";
import { grepLine } from "./results.ts";

export interface TextMatches {
  readonly hits: number;
  readonly lines: GrepLine[];
}

type Wanted = Pick<GrepOptions, "before" | "after" | "within" | "multiline">;

/** `regex` comes from `compilePattern` with the same `multiline`. Stops after `most` matching lines. */
export function textMatches(text: string, regex: RegExp, options: Wanted, most: number): TextMatches {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  for (const [i, line] of all.entries()) if (line.endsWith("\r")) all[i] = line.slice(0, -1);
  const matching = options.multiline
    ? acrossLines(all, regex, options.within, most)
    : perLine(all, regex, options, most);
  const { before = 0, after = 0 } = options;
  const lines: GrepLine[] = [];
  const add = (index: number, isMatch: boolean) =>
    lines.push(grepLine(index + 1, all[index]!, isMatch, () => matching.get(index)));
  const indexes = [...matching.keys()];
  let next = 0;
  for (const [k, at] of indexes.entries()) {
    for (let i = Math.max(next, at - before); i < at; i++) add(i, false);
    add(at, true);
    next = Math.max(at + 1, Math.min(at + 1 + after, indexes[k + 1] ?? all.length, all.length));
    for (let i = at + 1; i < next; i++) add(i, false);
  }
  return { hits: matching.size, lines };
}

/** Matching lines by index, each with the position of its first match. */
function perLine(all: readonly string[], regex: RegExp, { within }: Wanted, most: number): Map<number, number> {
  const matching = new Map<number, number>();
  for (let i = 0; i < all.length && matching.size < most; i++) {
    const at = isWithin(i + 1, within) ? all[i]!.search(regex) : -1;
    if (at !== -1) matching.set(i, at);
  }
  return matching;
}

function acrossLines(
  all: readonly string[],
  regex: RegExp,
  within: readonly GrepRange[] | undefined,
  most: number,
): Map<number, number> {
  const starts: number[] = [];
  let length = 0;
  for (const line of all) {
    starts.push(length);
    length += line.length + 1;
  }
  const matching = new Map<number, number>();
  let line = 0;
  for (const match of `${all.join("\n")}\n`.matchAll(regex)) {
    if (match.index >= length) break;
    const end = Math.max(match.index, match.index + match[0].length - 1);
    while (line + 1 < starts.length && starts[line + 1]! <= match.index) line++;
    for (let i = line; i < starts.length && starts[i]! <= end; i++) {
      if (matching.size === most) return matching;
      if (!matching.has(i) && isWithin(i + 1, within)) matching.set(i, Math.max(0, match.index - starts[i]!));
    }
  }
  return matching;
}

export function isWithin(number: number, spans: readonly GrepRange[] | undefined): boolean {
  return spans?.some(({ first, last }) => number >= first && number <= (last ?? number)) ?? true;
}
