// Turns hashline operations into line edits of the text they refer to.

import { type LineEdit, splitLines } from "../lines.ts";
import { numberedRange } from "../nearest-lines.ts";
import type { Syntax } from "../syntax.ts";
import { HashlineSyntaxError, type HashOperation } from "./parse.ts";

export interface ResolvedOperations {
  readonly edits: readonly LineEdit[];
  /** One line per block operation, for the result. */
  readonly blocks: readonly string[];
}

interface Claim extends LineEdit {
  readonly source: number;
  /**
   * Order of insertions at the same position: those anchored to the line above come before those anchored to the line
   * below.
   */
  readonly rank: number;
}

export async function resolveOperations(
  path: string,
  text: string,
  operations: readonly HashOperation[],
  syntax: Syntax | undefined,
): Promise<ResolvedOperations> {
  const lines = splitLines(text);
  const claims: Claim[] = [];
  const blocks: string[] = [];
  for (const operation of operations) {
    const claim = plain(operation, lines.length);
    if (claim) {
      claims.push(claim);
      continue;
    }
    const { kind, line, source } = operation as HashOperation & {
      kind: "replace-block" | "delete-block";
      line: number;
    };
    requireLine(line, lines.length);
    const found = syntax ? await syntax.blockAt(path, text, line - 1) : "no parser is available here";
    const verb = kind === "replace-block" ? "replace" : "delete";
    if (typeof found === "string") {
      throw new HashlineSyntaxError(
        `line ${source}: \`${verb} block ${line}\` does not select a block: ${found}. Use \`${verb} ${line}..M\` with the last line of the block instead.\n\n${around(lines, [line])}`,
      );
    }
    blocks.push(
      `${verb} block ${line} → resolved lines ${found.start + 1}-${found.end} (${found.end - found.start} lines)`,
    );
    claims.push({ ...found, lines: operation.kind === "replace-block" ? operation.body : [], source, rank: 2 });
  }
  return { edits: orderClaims(claims), blocks };
}

function plain(operation: HashOperation, count: number): Claim | undefined {
  const { source } = operation;
  switch (operation.kind) {
    case "replace":
    case "delete": {
      requireLine(operation.first, count);
      requireLine(operation.last, count);
      const lines = operation.kind === "replace" ? operation.body : [];
      return { start: operation.first - 1, end: operation.last, lines, source, rank: 2 };
    }
    case "insert": {
      if (operation.where === "head") return { start: 0, end: 0, lines: operation.body, source, rank: 0 };
      if (!("line" in operation)) return { start: count, end: count, lines: operation.body, source, rank: 3 };
      requireLine(operation.line, count);
      const at = operation.where === "before" ? operation.line - 1 : operation.line;
      return { start: at, end: at, lines: operation.body, source, rank: operation.where === "after" ? 0 : 1 };
    }
    default:
      return undefined;
  }
}

function requireLine(line: number, count: number): void {
  if (line < 1 || line > count) {
    throw new HashlineSyntaxError(`Line ${line} does not exist (file has ${count} lines). Lines are counted from 1.`);
  }
}

function orderClaims(claims: readonly Claim[]): LineEdit[] {
  const sorted = [...claims].sort((a, b) => a.start - b.start || a.rank - b.rank || a.end - b.end);
  for (const [index, claim] of sorted.entries()) {
    const before = sorted[index - 1];
    if (!before) continue;
    const sameAnchor = before.start === claim.start && before.rank === claim.rank;
    if (before.end > claim.start || sameAnchor) {
      throw new HashlineSyntaxError(
        `line ${claim.source}: line ${claim.start + 1} is already the target of the operation on line ${before.source}. Write one operation per range, with only the final text in its body.`,
      );
    }
  }
  return sorted.map(({ start, end, lines }) => ({ start, end, lines }));
}

/** Two lines of context on each side of every 1-based anchor. */
export function around(lines: readonly string[], anchors: readonly number[]): string {
  const marked = new Set(anchors.map((anchor) => anchor - 1));
  const parts: string[] = [];
  let shownTo = 0;
  for (const anchor of [...new Set(anchors)].sort((a, b) => a - b).slice(0, 20)) {
    const from = Math.max(shownTo, anchor - 3, 0);
    const to = Math.min(lines.length, anchor + 2);
    if (to <= from) continue;
    parts.push(numberedRange(lines, from, to, marked));
    shownTo = to;
  }
  return parts.join("\n");
}
