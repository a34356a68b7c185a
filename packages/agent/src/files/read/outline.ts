// Shows a long source file as its declarations: bodies are folded, and the footer lists their lines.

import type { Syntax, SyntaxBlock } from "../edit/syntax.ts";

const LEAST_LINES = 400;
const MOST_LINES = 20_000;
const MOST_LENGTH = 2 << 20;
/** A body of fewer lines is shown, because folding it would take as much space. */
const LEAST_FOLDED = 4;
/** Maximum number of ranges in the footer. */
const MOST_RANGES = 12;

export interface Outline {
  /** Lines to show, with their numbers, or the folded bodies. */
  readonly rows: readonly ({ readonly number: number; readonly text: string } | SyntaxBlock)[];
  readonly elidedSpans: number;
  readonly elidedLines: number;
  readonly footer: string;
}

/** Undefined if the file is short, has no grammar, or contains nothing that can be folded. */
export async function outlineOf(
  path: string,
  lines: readonly string[],
  syntax: Syntax | undefined,
): Promise<Outline | undefined> {
  if (!syntax || lines.length < LEAST_LINES || lines.length > MOST_LINES || !syntax.supports(path)) return undefined;
  const text = lines.join("\n");
  if (text.length > MOST_LENGTH) return undefined;
  const bodies = (await syntax.bodies(path, text))?.filter(({ start, end }) => end - start >= LEAST_FOLDED) ?? [];
  if (bodies.length === 0) return undefined;
  const rows: Outline["rows"][number][] = [];
  let at = 0;
  for (const body of bodies) {
    for (; at < body.start; at++) rows.push({ number: at + 1, text: lines[at] ?? "" });
    rows.push(body);
    at = body.end;
  }
  for (; at < lines.length; at++) rows.push({ number: at + 1, text: lines[at] ?? "" });
  const elidedLines = bodies.reduce((sum, { start, end }) => sum + end - start, 0);
  const ranges = bodies.slice(0, MOST_RANGES).map(({ start, end }) => `${start + 1}-${end}`);
  const which = bodies.length > MOST_RANGES ? "the first of them" : "them";
  const footer = `[${elidedLines} lines in ${bodies.length} bodies are folded; read ${path}:${ranges.join(",")} for ${which}, or ${path}:1- for everything]`;
  return { rows, elidedSpans: bodies.length, elidedLines, footer };
}
