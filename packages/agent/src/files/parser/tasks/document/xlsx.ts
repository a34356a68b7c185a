// Workbooks: every sheet with its name, its rows as lines of a table. Formulas without a stored value are shown
// themselves.

import { CannotParse } from "../types.ts";
import { attribute, type Parts, readXml, relationships } from "./package-parts.ts";
import { cleanLine, TextWriter, tableRow } from "./text-writer.ts";

/** Number of empty cells in a row that are shown; a wider gap names the column instead. */
const MOST_GAP = 16;
const MOST_SHEETS = 500;

export function xlsxText(parts: Parts): string {
  const sheets = sheetsOf(parts);
  if (sheets.length === 0) throw new CannotParse("xl/workbook.xml is missing in it, or names no sheet");
  const strings = sharedStrings(parts);
  const dates = dateStyles(parts);
  const writer = new TextWriter();
  for (const { name, part } of sheets.slice(0, MOST_SHEETS)) {
    writer.heading(2, `Sheet: ${name}`);
    const rows = sheetRows(parts.get(part), strings, dates, writer);
    if (rows === 0) writer.line("(empty)");
    if (writer.isFull) break;
  }
  return writer.text();
}

function sheetsOf(parts: Parts): { name: string; part: string }[] {
  const targets = relationships(parts, "xl/workbook.xml");
  const sheets: { name: string; part: string }[] = [];
  readXml(parts.get("xl/workbook.xml"), {
    open: (name, attributes) => {
      if (name !== "sheet") return;
      const target = targets.get(attributes["r:id"] ?? attribute(attributes, "id") ?? "")?.target;
      const hidden = attributes["state"] === undefined || attributes["state"] === "visible" ? "" : " (hidden)";
      if (target !== undefined) sheets.push({ name: `${attributes["name"] ?? ""}${hidden}`, part: target });
    },
  });
  return sheets;
}

function sharedStrings(parts: Parts): string[] {
  const strings: string[] = [];
  let current = "";
  let inText = false;
  let phonetic = 0;
  readXml(parts.get("xl/sharedStrings.xml"), {
    open: (name) => {
      if (name === "si") current = "";
      if (name === "rPh") phonetic += 1;
      inText = name === "t" && phonetic === 0;
    },
    text: (text) => {
      if (inText) current += text;
    },
    close: (name) => {
      if (name === "t") inText = false;
      if (name === "rPh") phonetic -= 1;
      if (name === "si") strings.push(current);
    },
  });
  return strings;
}

/** Which styles show a number as a date, by style index. */
function dateStyles(parts: Parts): boolean[] {
  const own = new Map<string, boolean>();
  const styles: boolean[] = [];
  let inCells = false;
  readXml(parts.get("xl/styles.xml"), {
    open: (name, attributes) => {
      if (name === "numFmt") own.set(attributes["numFmtId"] ?? "", isDateFormat(attributes["formatCode"] ?? ""));
      if (name === "cellXfs") inCells = true;
      if (name !== "xf" || !inCells) return;
      const id = attributes["numFmtId"] ?? "0";
      const number = Number(id);
      styles.push(own.get(id) ?? ((number >= 14 && number <= 22) || (number >= 45 && number <= 47)));
    },
    close: (name) => {
      if (name === "cellXfs") inCells = false;
    },
  });
  return styles;
}

/** Quoted text and colours do not matter. */
const isDateFormat = (code: string): boolean => /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]/gi, ""));

interface Cell {
  readonly column: number;
  readonly kind: string;
  readonly style: number;
  value: string;
  formula: string;
}

function sheetRows(
  part: Uint8Array | undefined,
  strings: readonly string[],
  dates: readonly boolean[],
  writer: TextWriter,
): number {
  let rows = 0;
  let cells: Cell[] = [];
  let cell: Cell | undefined;
  let into: "value" | "formula" | undefined;
  const finishRow = (): void => {
    const shown = cells.map((one) => ({ column: one.column, text: shownValue(one, strings, dates) }));
    const filled = shown.filter(({ text }) => text !== "");
    cells = [];
    if (filled.length === 0) return;
    rows += 1;
    writer.line(tableRow(withGaps(filled)));
  };
  readXml(part, {
    open: (name, attributes) => {
      if (name === "c") {
        const column = columnOf(attributes["r"]) ?? (cells.at(-1)?.column ?? -1) + 1;
        cell = { column, kind: attributes["t"] ?? "n", style: Number(attributes["s"] ?? 0), value: "", formula: "" };
        cells.push(cell);
      } else if (name === "v" || name === "t") into = "value";
      else if (name === "f") into = "formula";
    },
    text: (text) => {
      if (cell && into) cell[into] += text;
    },
    isDone: () => writer.isFull,
    close: (name) => {
      if (name === "v" || name === "t" || name === "f") into = undefined;
      if (name === "c") cell = undefined;
      if (name === "row") finishRow();
    },
  });
  return rows;
}

function shownValue(cell: Cell, strings: readonly string[], dates: readonly boolean[]): string {
  const { kind, value, formula, style } = cell;
  if (value === "") return formula === "" ? "" : `=${cleanLine(formula)}`;
  if (kind === "s") return cleanLine(strings[Number(value)] ?? "");
  if (kind === "b") return value === "1" ? "TRUE" : "FALSE";
  if (kind === "n" && dates[style]) return dateText(Number(value)) ?? value;
  return cleanLine(value);
}

const DAY_MS = 86_400_000;
/** Day 0 of workbooks, which assume that 1900 was a leap year. */
const DAY_ZERO = Date.UTC(1899, 11, 30);

function dateText(serial: number): string | undefined {
  const time = DAY_ZERO + Math.round(serial * DAY_MS);
  if (!(serial >= 0) || time > Date.UTC(9999, 11, 31)) return undefined;
  const [day, clock = ""] = new Date(time).toISOString().split("T");
  const seconds = clock.slice(0, 8);
  if (serial < 1) return seconds;
  return seconds === "00:00:00" ? day : `${day} ${seconds}`;
}

/** The letters of a cell reference such as AB12 as a number from 0. */
function columnOf(place: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place ?? "")?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function withGaps(cells: readonly { column: number; text: string }[]): string[] {
  const row: string[] = [];
  let next = 0;
  for (const { column, text } of cells) {
    const gap = column - next;
    if (gap > MOST_GAP) row.push(`[${columnName(column)}] ${text}`);
    else {
      for (let i = 0; i < gap; i++) row.push("");
      row.push(text);
    }
    next = column + 1;
  }
  return row;
}

function columnName(column: number): string {
  let name = "";
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}
