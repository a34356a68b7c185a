// How full the context is, as a bar with a mark where older messages get summarized.

import type { Span, Symbols } from "@lathe/tui";

/** How full the context is. */
export interface ContextFill {
  readonly contextTokens: number;
  /** 0 if unknown. */
  readonly contextWindow: number;
  /** Older messages are summarized at this many tokens. */
  readonly compactsAt?: number | undefined;
}

const CELLS = 10;

export function contextBar(
  { contextTokens, contextWindow, compactsAt }: ContextFill,
  symbols: Symbols,
  color: string,
): readonly Span[] {
  const cellOf = (count: number): number => Math.min(CELLS, Math.round((count / contextWindow) * CELLS));
  // At 0 % no cell is filled; from 1 % on, at least one is.
  const isNoticed = Math.round((contextTokens / contextWindow) * 100) > 0;
  const full = isNoticed ? Math.max(1, cellOf(contextTokens)) : 0;
  const mark = compactsAt === undefined || compactsAt >= contextWindow ? -1 : Math.min(CELLS - 1, cellOf(compactsAt));
  const used = { color };
  const free = { color: "dim" };
  const cells = Array.from({ length: CELLS }, (_, at): Span => {
    if (at === mark && at >= full) return { text: symbols.ruleVertical, style: { color: "muted" } };
    return at < full ? { text: symbols.barFull, style: used } : { text: symbols.barEmpty, style: free };
  });
  return mergeSpans(cells);
}

/** Joins neighbouring cells of one style. */
function mergeSpans(cells: readonly Span[]): Span[] {
  const spans: Span[] = [];
  for (const cell of cells) {
    const last = spans.at(-1);
    if (last && last.style?.color === cell.style?.color)
      spans[spans.length - 1] = { ...last, text: last.text + cell.text };
    else spans.push(cell);
  }
  return spans;
}
