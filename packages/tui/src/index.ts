export type { Component, CursorPlace, Focusable, RenderContext } from "./component.ts";
export type { FocusChange, Key, KeyPress, Paste, TerminalReply } from "./keys/key.ts";
export type { Colour, Row, Span, Style } from "./rows/row.ts";
export { visible, visibleLine } from "./rows/visible.ts";
export { type Grapheme, graphemes, shorten, widthOf } from "./rows/width.ts";
export { EMPTY_ROW, row, rowOf, rowText, rowWidth, type WrapOptions, wrap } from "./rows/wrap.ts";
export type { Symbols } from "./theme/symbols.ts";
