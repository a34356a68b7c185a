// Places rows side by side and cuts rows to a width.

import type { Row, Span } from "./row.ts";
import { graphemes, widthOf } from "./width.ts";
import { rowWidth } from "./wrap.ts";

/** Returns the part of a row that fits into `columns`. */
export function cutRow(row: Row, columns: number): Row {
  if (rowWidth(row) <= columns) return row;
  const spans: Span[] = [];
  let left = columns;
  for (const span of row.spans) {
    const width = widthOf(span.text);
    if (width <= left) {
      spans.push(span);
      left -= width;
      continue;
    }
    let text = "";
    for (const grapheme of graphemes(span.text)) {
      if (grapheme.width > left) break;
      text += grapheme.text;
      left -= grapheme.width;
    }
    spans.push({ ...span, text });
    break;
  }
  return { ...row, spans };
}

/** Two columns of rows with a separator between them; the left one is `leftColumns` wide. */
export function beside(left: readonly Row[], right: readonly Row[], leftColumns: number, separator: Span): Row[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const cut = cutRow(left[index] ?? { spans: [] }, leftColumns);
    const space = { text: " ".repeat(leftColumns - rowWidth(cut)) };
    return { spans: [...cut.spans, ...(space.text === "" ? [] : [space]), separator, ...(right[index]?.spans ?? [])] };
  });
}
