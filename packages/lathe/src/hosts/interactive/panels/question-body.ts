// The text above the answers of a question, and what of it is shown if there is little room: the title, and the
// beginning and end of the subject. The user must not approve an end that is out of sight.

import { EMPTY_ROW, type RenderContext, type Row, row, rowText, shorten, widthOf } from "@lathe/tui";

export interface QuestionBody {
  readonly title: readonly Row[];
  /** Why it is asked; left out before anything of the subject is. */
  readonly reason?: readonly Row[];
  readonly subject: readonly Row[];
  /** Further facts; left out like the reason. */
  readonly notes?: readonly Row[];
}

export interface FittedBody {
  readonly rows: readonly Row[];
  /** Whether anything is left out. */
  readonly isCut: boolean;
}

/** Reason and notes stay if the subject keeps at least this many rows. */
const ROWS_BESIDE_NOTES = 6;
const INDENT = "    ";

export const allOf = ({ title, reason = [], subject, notes = [] }: QuestionBody): Row[] => [
  ...title,
  ...reason,
  ...subject,
  ...notes,
];

export function fittedBody(body: QuestionBody, room: number, context: RenderContext): FittedBody {
  const all = allOf(body);
  if (all.length < room) return { rows: [...all, EMPTY_ROW], isCut: false };
  if (all.length === room) return { rows: all, isCut: false };
  const { reason = [], subject, notes = [] } = body;
  const title = shortTitle(body.title, room, context);
  const left = room - title.length;
  const hasNotes = left - reason.length - notes.length >= ROWS_BESIDE_NOTES;
  const [before, after] = hasNotes ? [reason, notes] : [[], []];
  const shown = ends(subject, left - before.length - after.length, context);
  return { rows: [...title, ...before, ...shown, ...after], isCut: true };
}

/** The title if it takes at most a third of the room, otherwise its beginning in one row. */
function shortTitle(title: readonly Row[], room: number, { columns, symbols }: RenderContext): readonly Row[] {
  const [first] = title;
  if (!first || title.length <= Math.max(1, Math.floor(room / 3))) return title;
  const text = title.map((one) => rowText(one).trim()).join(" ");
  return [row(shorten(text, columns, symbols.ellipsis), first.spans[0]?.style ?? {})];
}

function ends(rows: readonly Row[], room: number, { columns, symbols }: RenderContext): readonly Row[] {
  if (rows.length <= room) return rows;
  if (room <= 1) return rows.slice(0, Math.max(0, room));
  const head = Math.ceil((room - 1) / 2);
  const tail = room - 1 - head;
  const hidden = `${symbols.ellipsis} ${rows.length - head - tail} more`;
  const marks = [`${INDENT}${hidden} lines (v shows all)`, `${hidden} (v shows all)`, `${hidden} (v)`];
  const mark = marks.find((text) => widthOf(text) <= columns) ?? symbols.ellipsis;
  return [...rows.slice(0, head), row(mark, { color: "warning" }), ...rows.slice(rows.length - tail)];
}
