// Values and rows of a database as text: a table at most 120 columns wide for many rows, lines for a single row.

/** What SQLite returns with big integers enabled. */
export type Cell = string | number | bigint | null | Uint8Array;

const MOST_WIDE = 120;
const MOST_CELL = 40;
const LEAST_CELL = 4;
const BETWEEN = " | ";
const MOST_VALUE = 20_000;

/** One line, without characters that a terminal would interpret. */
function cellText(cell: Cell): string {
  if (cell === null) return "NULL";
  if (cell instanceof Uint8Array) return `<blob, ${cell.length} bytes>`;
  if (typeof cell !== "string") return String(cell);
  return cell.replace(/[\\\p{Cc}\u2028\u2029]/gu, (character) =>
    character === "\\" ? "\\" : (NAMED[character] ?? `\\x${character.codePointAt(0)!.toString(16).padStart(2, "0")}`),
  );
}

const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Columns that do not fit are listed below. */
export function asciiTable(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => row.map(cellText));
  const wanted = names.map((name, i) =>
    Math.min(MOST_CELL, Math.max(1, width(cellText(name)), ...texts.map((row) => width(row[i] ?? "")))),
  );
  const widths = fitWidths(wanted);
  const line = (cells: readonly string[]) =>
    widths
      .map((room, i) => cut(cells[i] ?? "", room).padEnd(room))
      .join(BETWEEN)
      .trimEnd();
  const rule = widths.map((room) => "-".repeat(room)).join("-+-");
  const lines = [line(names.map(cellText)), rule, ...texts.map(line)];
  if (widths.length < names.length) lines.push(`[not shown: ${names.slice(widths.length).map(cellText).join(", ")}]`);
  return lines.join("\n");
}

/** Wide columns shrink first; if even narrow ones do not fit, the last ones are dropped. */
function fitWidths(wanted: readonly number[]): number[] {
  const widths = [...wanted];
  const total = () => widths.reduce((sum, one) => sum + one, 0) + BETWEEN.length * Math.max(0, widths.length - 1);
  while (total() > MOST_WIDE) {
    const widest = Math.max(...widths);
    if (widest > LEAST_CELL) widths[widths.lastIndexOf(widest)]! -= 1;
    else widths.pop();
  }
  return widths;
}

const width = (text: string): number => [...text].length;

function cut(text: string, room: number): string {
  const characters = [...text];
  return characters.length <= room ? text : `${characters.slice(0, room - 1).join("")}…`;
}

/** One row with its full values, up to a sensible length. */
export function rowText(names: readonly string[], row: readonly Cell[]): string {
  return names.map((name, i) => `${cellText(name)}: ${valueText(row[i] ?? null)}`).join("\n");
}

function valueText(cell: Cell): string {
  if (typeof cell !== "string") return cellText(cell);
  const text = cell.length > MOST_VALUE ? `${cell.slice(0, MOST_VALUE)}… [${cell.length} characters]` : cell;
  // The lines of a multi-line text are below its name.
  return text.includes("\n")
    ? `\n${text
        .split("\n")
        .map((line) => `  ${cellText(line)}`)
        .join("\n")}`
    : cellText(text);
}
