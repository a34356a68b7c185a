// The answers of a question as rows: wrapped if there is room, otherwise one row each, and on small screens side by
// side or only the part around the selection.

import { type RenderContext, type Row, rowOf, type Span, shorten, widthOf, wrap } from "@lathe/tui";

export interface ShownOption {
  readonly letter: string;
  readonly label: string;
  /** The label in one word. */
  readonly short?: string | undefined;
  readonly mark: string;
}

/** The fewest rows for the question itself. */
const LEAST_BODY = 4;
const LETTER_ROOM = 5;

/** `room`: rows for question and answers together; `wanted`: rows of the whole question. */
export function answerRows(
  options: readonly ShownOption[],
  at: number,
  context: RenderContext,
  { room, wanted }: { readonly room: number; readonly wanted: number },
): Row[] {
  const least = Math.min(wanted, LEAST_BODY);
  const whole = options.flatMap((option, i) => wholeRows(option, i === at, context));
  if (whole.length + least <= room) return whole;
  const single = options.map((option, i) => singleRow(option, i === at, context));
  if (single.length + least <= room) return single;
  if (options.every(({ short }) => short !== undefined)) return sideBySide(options, at, context);
  const count = Math.max(1, Math.min(single.length, room - Math.min(wanted, 2)));
  const first = Math.max(0, Math.min(at - Math.floor(count / 2), single.length - count));
  return single.slice(first, first + count);
}

const lead = ({ letter }: ShownOption, isAt: boolean, { symbols }: RenderContext): Span[] => [
  { text: isAt ? `${symbols.pointer} ` : "  ", style: { color: "accent" } },
  { text: `${letter}  `, style: { color: "accent", bold: true } },
];

const labelOf = (text: string, isAt: boolean): Span => ({ text, ...(isAt ? { style: { bold: true } } : {}) });

function wholeRows(option: ShownOption, isAt: boolean, context: RenderContext): Row[] {
  const label = labelOf(`${option.mark}${option.label}`, isAt);
  const rest = [{ text: " ".repeat(LETTER_ROOM) }];
  return wrap([label], context.columns, { first: lead(option, isAt, context), rest });
}

function singleRow(option: ShownOption, isAt: boolean, context: RenderContext): Row {
  const room = Math.max(1, context.columns - LETTER_ROOM);
  const text = shorten(`${option.mark}${option.label.replaceAll("\n", " ")}`, room, context.symbols.ellipsis);
  return rowOf(...lead(option, isAt, context), labelOf(text, isAt));
}

function sideBySide(options: readonly ShownOption[], at: number, { columns, symbols }: RenderContext): Row[] {
  const rows: Span[][] = [[]];
  let used = 0;
  for (const [i, { letter, short = "" }] of options.entries()) {
    const isAt = i === at;
    const spans: Span[] = [
      { text: isAt ? symbols.pointer : " ", style: { color: "accent" } },
      { text: `${letter} `, style: { color: "accent", bold: true } },
      labelOf(`${short} `, isAt),
    ];
    const width = spans.reduce((sum, { text }) => sum + widthOf(text), 0);
    if (used > 0 && used + width > columns) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push(...spans);
    used += width;
  }
  return rows.map((spans) => rowOf(...spans));
}
