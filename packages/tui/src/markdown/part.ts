// A piece of a document that can no longer change. Its rows are made on request, when the width is known.

import type { CodeHighlighter } from "../highlight/highlight.ts";
import type { Row, Span, Style } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import { EMPTY_ROW, wrap } from "../rows/wrap.ts";
import type { Symbols } from "../theme/symbols.ts";
import { type InlineOptions, inlineSpans } from "./inline.ts";

export interface View extends InlineOptions {
  readonly columns: number;
  readonly symbols: Symbols;
  /** The highlighter for the next line: the code's own one, or a copy for a preview. */
  code(own: CodeHighlighter): CodeHighlighter;
}

export interface Part {
  rows(view: View): Row[];
  /** Whether better rows will be possible soon. */
  readonly isPending?: boolean;
}

/** What precedes each row of a block because of the lists and quotes around it, outermost first. */
export type Lead = readonly LeadPiece[];
export type Marker =
  | { readonly kind: "bullet" }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "task"; readonly isDone: boolean };
type LeadPiece =
  | { readonly kind: "quote" }
  /** The marker is in the item's first row; rows below it have blanks. */
  | { readonly kind: "item"; readonly marker: Marker; readonly isFirst: boolean };

const BAR: Style = { color: "mdQuoteBorder" };
const BULLET: Style = { color: "mdListBullet" };
const DONE: Style = { color: "success" };
const QUOTE: Style = { color: "mdQuote" };
const RULE: Style = { color: "mdHr" };
const CODE_INDENT: Span = { text: "  " };

const HEADINGS: readonly Style[] = [
  { color: "mdHeading", bold: true, underline: true },
  { color: "mdHeading", bold: true },
  { color: "mdHeading", bold: true, italic: true },
  { color: "mdHeading", italic: true },
];

function markerSpan(marker: Marker, symbols: Symbols): Span {
  if (marker.kind === "bullet") return { text: `${symbols.bullet} `, style: BULLET };
  if (marker.kind === "number") return { text: `${marker.text} `, style: BULLET };
  return marker.isDone
    ? { text: `${symbols.checked} `, style: DONE }
    : { text: `${symbols.unchecked} `, style: BULLET };
}

export function leadSpans(lead: Lead, symbols: Symbols, isFirstRow: boolean): Span[] {
  return lead.map((piece) => {
    if (piece.kind === "quote") return { text: `${symbols.quoteBar} `, style: BAR };
    const marker = markerSpan(piece.marker, symbols);
    return piece.isFirst && isFirstRow ? marker : { text: " ".repeat(widthOf(marker.text)) };
  });
}

/** If deep nesting leaves no room for text, the outermost pieces are dropped. */
export function fitLead(lead: Lead, view: View): Lead {
  let shown = lead;
  while (shown.length > 1 && leadWidth(shown, view) > view.columns / 2) shown = shown.slice(1);
  return shown;
}

const leadWidth = (lead: Lead, view: View): number =>
  leadSpans(lead, view.symbols, true).reduce((sum, { text }) => sum + widthOf(text), 0);

const isQuoted = (lead: Lead): boolean => lead.some(({ kind }) => kind === "quote");

/** Rows of spans that begin with the lead. */
export function leadRows(
  spans: readonly Span[],
  lead: Lead,
  view: View,
  more: { readonly anywhere?: boolean; readonly indent?: Span } = {},
): Row[] {
  const shown = fitLead(lead, view);
  const indent = more.indent === undefined ? [] : [more.indent];
  const first = [...leadSpans(shown, view.symbols, true), ...indent];
  const rest = [...leadSpans(shown, view.symbols, false), ...indent];
  return wrap(spans, view.columns, {
    first,
    rest,
    ...(more.anywhere === undefined ? {} : { anywhere: more.anywhere }),
  });
}

/** The columns left of the lead's width. */
export const roomBeside = (lead: Lead, view: View): number => view.columns - leadWidth(fitLead(lead, view), view);

/** The lead alone, without trailing blanks. */
function leadAlone(lead: Lead, view: View, isFirstRow: boolean): Row {
  const spans = leadSpans(fitLead(lead, view), view.symbols, isFirstRow);
  while (spans.at(-1)?.text.trim() === "") spans.pop();
  const last = spans.pop();
  return last === undefined ? EMPTY_ROW : { spans: [...spans, { ...last, text: last.text.trimEnd() }] };
}

export const gap = (lead: Lead): Part => ({ rows: (view) => [leadAlone(lead, view, false)] });

export const emptyItem = (lead: Lead): Part => ({ rows: (view) => [leadAlone(lead, view, true)] });

export const paragraph = (text: string, lead: Lead): Part => ({
  rows: (view) => leadRows(inlineSpans(text, isQuoted(lead) ? QUOTE : undefined, view), lead, view),
});

export const heading = (text: string, level: number, lead: Lead): Part => ({
  rows: (view) => leadRows(inlineSpans(text, HEADINGS[Math.min(level, 4) - 1], view), lead, view),
});

/** Text shown as written: HTML, and markdown that we do not render. */
export const raw = (text: string, lead: Lead): Part => ({
  rows: (view) => leadRows([isQuoted(lead) ? { text, style: QUOTE } : { text }], lead, view),
});

export const rule = (lead: Lead): Part => ({
  rows: (view) => {
    const room = Math.min(roomBeside(lead, view), 40);
    return leadRows([{ text: view.symbols.ruleHorizontal.repeat(Math.max(1, room)), style: RULE }], lead, view);
  },
});

export function codeLine(text: string, highlighter: CodeHighlighter, lead: Lead): Part {
  return {
    get isPending() {
      return highlighter.isPending;
    },
    rows: (view) => {
      const spans = view.code(highlighter).next(text);
      if (spans.length === 0) return [leadAlone(lead, view, true)];
      return leadRows(spans, lead, view, { anywhere: true, indent: CODE_INDENT });
    },
  };
}
