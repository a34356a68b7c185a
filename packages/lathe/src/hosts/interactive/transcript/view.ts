// What the rows of an item depend on besides the item, and row shapes that all items use.

import type { Card } from "@lathe/agent";
import { type RenderContext, type Row, type Span, type Style, shorten, visible, widthOf, wrap } from "@lathe/tui";

export interface ItemView extends RenderContext {
  readonly thinking: "shown" | "folded" | "hidden";
  /** Shows everything, not just a few rows. */
  readonly expanded: boolean;
  /** The key that shows more. */
  readonly expandKey: string;
  /** The key that sends a running command to the background. */
  readonly backgroundKey?: string | undefined;
  /** Cards show file names relative to this folder. */
  readonly cwd?: string | undefined;
  /** Rows of live output below a running call. */
  readonly tailRows: number;
}

export const INDENT = "  ";
export const SEPARATOR = " · ";

/** The subject of a card, shortened for display. */
export function subjectOf({ subject, namesFiles }: Card, { cwd }: Pick<ItemView, "cwd">): string {
  return namesFiles && cwd !== undefined ? withoutFolder(subject, cwd) : subject;
}

/** Makes paths relative: the folder itself becomes a dot. Longer names that contain the folder's name stay. */
export function withoutFolder(text: string, folder: string): string {
  return text
    .replaceAll(folder, (found, at: number) => {
      const before = text[at - 1] ?? " ";
      const after = text[at + folder.length] ?? " ";
      if (!/[\s,]/.test(before) || !/[\s,/]/.test(after)) return found;
      return after === "/" ? "\0" : ".";
    })
    .replaceAll("\0/", "");
}

export const span = (text: string, style: Style = {}): Span => ({ text, style });
export const dim = (text: string): Span => span(text, { color: "dim" });

/** One row, cut if it is too long. */
export function oneRow(
  view: RenderContext,
  lead: readonly Span[],
  text: string,
  style: Style,
  end: readonly Span[] = [],
): Row {
  const used = [...lead, ...end].reduce((sum, part) => sum + widthOf(part.text), 0);
  const fitting = shorten(visible(text).replaceAll("\n", " "), Math.max(0, view.columns - used), view.symbols.ellipsis);
  return { spans: [...lead, span(fitting, style), ...end].filter((part) => part.text !== "") };
}

/** Wraps text and indents the rows below the first by the width of `lead`. */
export function hangRows(
  view: RenderContext,
  spans: readonly Span[],
  lead: readonly Span[],
  most = Number.POSITIVE_INFINITY,
): Row[] {
  const indent = " ".repeat(lead.reduce((sum, part) => sum + widthOf(part.text), 0));
  const rows = wrap(spans, view.columns, { first: lead, rest: [{ text: indent }] });
  if (rows.length <= most) return rows;
  const last = rows[most - 1] as Row;
  return [
    ...rows.slice(0, most - 1),
    { ...last, spans: [...last.spans.slice(0, -1), ...cut(last.spans.at(-1), view)] },
  ];
}

function cut(last: Span | undefined, { symbols }: RenderContext): Span[] {
  if (!last) return [];
  const room = Math.max(0, widthOf(last.text) - widthOf(symbols.ellipsis));
  return [{ ...last, text: shorten(last.text, room, "") + symbols.ellipsis }];
}
