// Rows below the live blocks for temporary states: they are replaced and leave nothing behind.

import { elapsedTime, type Row, visibleLine } from "@lathe/tui";
import { tokens } from "../../../sessions/numbers.ts";
import type { EventFold } from "./fold.ts";
import { dim, hangRows, type ItemView, oneRow, SEPARATOR, span } from "./view.ts";

const MOST_ROWS = 3;

export function statusRows({ retry, compacting, preparing }: EventFold, view: ItemView): Row[] {
  const { symbols } = view;
  const rows: Row[] = [];
  if (compacting) {
    const text = `Summarizing earlier messages (${tokens(compacting.tokens)} tokens)  ${elapsedTime(view.now - compacting.since)}`;
    rows.push(oneRow(view, [span(symbols.running, { color: "accent" }), { text: " " }], text, { color: "muted" }));
  }
  if (preparing) {
    const size = preparing.characters < 1000 ? "" : `, ${tokens(preparing.characters)} characters`;
    rows.push(
      oneRow(view, [dim(`${symbols.pending} `)], `${visibleLine(preparing.tool)} is being written${size}`, {
        color: "dim",
      }),
    );
  }
  if (retry) {
    const seconds = Math.max(0, Math.ceil((retry.at - view.now) / 1000));
    const when = seconds > 0 ? `retrying in ${seconds}s` : "retrying";
    const attempt = retry.attempt > 0 ? ` (attempt ${retry.attempt + 1})` : "";
    const end = [dim(`${SEPARATOR}${when}${attempt}`)];
    // The message is shown in full, because its end says what to do.
    const lead = [span(`${symbols.warning} `, { color: "warning" })];
    rows.push(...hangRows(view, [span(visibleLine(retry.message), { color: "warning" }), ...end], lead, MOST_ROWS));
  }
  return rows;
}
