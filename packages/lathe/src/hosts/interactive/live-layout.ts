// Lays out the live region: current activity, the composer or a panel in its place, and the lines below.

import { type CursorPlace, type LiveView, type RenderContext, type Row, row, type Style, shorten } from "@lathe/tui";
import type { LineStyle } from "./host-view.ts";
import type { Panel } from "./panels/panel-stack.ts";

export const LINE_STYLES: Readonly<Record<LineStyle, Style>> = {
  dim: { color: "dim" },
  bold: { bold: true },
  red: { color: "error" },
  green: { color: "success" },
  yellow: { color: "warning" },
};

/** A part of the screen and the cursor position in it. */
export interface Placed {
  readonly rows: readonly Row[];
  readonly cursor?: CursorPlace | undefined;
}

/** Below this height, rules around a panel would take rows from its answers. */
const ROWS_WITH_RULES = 14;
export const hasRoomForRules = ({ rows }: RenderContext): boolean => rows >= ROWS_WITH_RULES;
/** The two rules, the hint, and one row above. */
const ROWS_AROUND = 4;

export const ruleRow = ({ columns, symbols }: RenderContext, color: string): Row =>
  row(symbols.ruleHorizontal.repeat(columns), { color });

/**
 * A panel between rules, like the composer; `below` says what its keys do, `others` is the number of rows below that.
 */
export function framedPanel(
  { component }: Panel,
  context: RenderContext,
  below: string,
  { color, others }: { readonly color: string; readonly others: number },
): Placed {
  const hasRules = hasRoomForRules(context);
  const around = others + (hasRules ? ROWS_AROUND : 1);
  const rows = component.render({ ...context, rows: Math.max(1, context.rows - around) });
  const hint = row(shorten(below, context.columns), { color });
  const { cursor } = component;
  if (!hasRules) return { rows: [...rows, hint], cursor };
  const rule = ruleRow(context, "border");
  return {
    rows: [rule, ...rows, rule, hint],
    cursor: cursor && { row: cursor.row + 1, column: cursor.column },
  };
}

/** The part with the cursor and everything below it stay on the screen; of the rows above, the last ones do. */
export function stackRows(
  above: readonly Row[],
  { rows: focus, cursor }: Placed,
  below: readonly Row[],
  { rows }: RenderContext,
): LiveView {
  const cut = Math.max(0, focus.length + below.length - rows);
  const room = Math.max(0, rows - focus.length - below.length);
  const shown = above.slice(Math.max(0, above.length - room));
  return {
    rows: [...shown, ...focus.slice(cut), ...below],
    ...(cursor ? { cursor: { row: Math.max(0, cursor.row + shown.length - cut), column: cursor.column } } : {}),
  };
}
