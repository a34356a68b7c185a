// Draws the cells of a terminal as an SVG picture in a plain window frame. The same cells always give the same file.

import type { TerminalRun } from "../../packages/lathe/test/terminal/emulator.ts";

type Cells = TerminalRun["buffer"];
type Cell = NonNullable<ReturnType<NonNullable<ReturnType<Cells["getLine"]>>["getCell"]>>;

export interface Screen {
  readonly buffer: Cells;
  readonly columns: number;
  readonly rows: number;
  /** A path of this machine, shown as ~ in pictures. */
  readonly home: string;
  /** If absent, the cursor is hidden. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

export interface Look {
  readonly background: string;
  readonly foreground: string;
  readonly frame: string;
}

export const DARK: Look = { background: "#15181e", foreground: "#d6dae1", frame: "#2a2f38" };
export const LIGHT: Look = { background: "#fdfdfc", foreground: "#24292f", frame: "#d5d9de" };

const CELL = { width: 8.4, height: 19 };
const MARGIN = { left: 16, top: 44, bottom: 16 };
const BASELINE = 14;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const BASIC = [
  "#1d2027 #f2777a #7fc97f #e6b450 #6aa6f8 #c792ea #56c2c9 #c8ccd4",
  "#6b7280 #ff8f8f #9be39b #ffd27a #8fbfff #dcb0ff #7fdde3 #ffffff",
].flatMap((line) => line.split(" "));
/** Steps of the colour cube of 256-colour terminals. */
const CUBE = [0, 95, 135, 175, 215, 255];

interface Style {
  readonly foreground: string;
  readonly background: string | undefined;
  readonly attributes: string;
}

interface Run {
  readonly column: number;
  readonly style: Style;
  width: number;
  text: string;
}

export function drawScreen(screen: Screen, label: string, look: Look): string {
  const lines = linesOf(screen, look);
  const width = round(screen.columns * CELL.width + 2 * MARGIN.left);
  const height = MARGIN.top + lines.length * CELL.height + MARGIN.bottom;
  const dots = [20, 38, 56].map((x) => `<circle cx="${x}" cy="20" r="5" fill="${look.frame}"/>`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(label)}">
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${look.background}" stroke="${look.frame}"/>
${dots}
<g font-family="${FONT}" font-size="14" fill="${look.foreground}">
${lines.flatMap((runs, row) => drawLine(runs, row, look)).join("\n")}
</g>${drawCursor(screen, look)}
</svg>
`;
}

/** Without empty rows at the end. */
function linesOf({ buffer, columns, rows, cursor, home }: Screen, look: Look): Run[][] {
  const top = buffer.type === "alternate" ? 0 : buffer.baseY;
  const lines: Run[][] = [];
  for (let row = 0; row < rows; row++)
    lines.push(runsOf(buffer, top + row, columns, look).map((run) => withoutHome(run, home)));
  while (lines.length > (cursor?.row ?? 0) + 1 && lines.at(-1)?.every(isBlank)) lines.pop();
  return lines;
}

function withoutHome(run: Run, home: string): Run {
  const text = run.text.replaceAll(home, "~");
  return text === run.text ? run : { ...run, text, width: [...text].length };
}

const isBlank = ({ text, style }: Run): boolean => text.trim() === "" && style.background === undefined;

/** Neighbouring cells of one style form a run; a wide character is its own run, so that it takes exactly two cells. */
function runsOf(buffer: Cells, at: number, columns: number, look: Look): Run[] {
  const line = buffer.getLine(at);
  const runs: Run[] = [];
  for (let column = 0; line && column < columns; ) {
    const cell = line.getCell(column);
    const width = Math.max(1, cell?.getWidth() ?? 1);
    const text = cell?.getChars() || " ";
    const style = cell ? styleOf(cell, look) : { foreground: look.foreground, background: undefined, attributes: "" };
    const last = runs.at(-1);
    if (last && width === 1 && last.width === [...last.text].length && isSame(last.style, style)) {
      last.text += text;
      last.width += 1;
    } else runs.push({ column, style, width, text });
    column += width;
  }
  return runs;
}

const isSame = (a: Style, b: Style): boolean =>
  a.foreground === b.foreground && a.background === b.background && a.attributes === b.attributes;

function styleOf(cell: Cell, look: Look): Style {
  const foreground = colour(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor()) ?? look.foreground;
  const background = colour(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor());
  const attributes = [
    cell.isBold() ? ' font-weight="bold"' : "",
    cell.isItalic() ? ' font-style="italic"' : "",
    cell.isDim() ? ' opacity="0.6"' : "",
    cell.isUnderline() || cell.isStrikethrough()
      ? ` text-decoration="${cell.isUnderline() ? "underline" : "line-through"}"`
      : "",
  ].join("");
  return cell.isInverse()
    ? { foreground: background ?? look.background, background: foreground, attributes }
    : { foreground, background, attributes };
}

function colour(isRgb: boolean, isPalette: boolean, value: number): string | undefined {
  if (isRgb) return hex(value);
  if (!isPalette) return undefined;
  if (value < 16) return BASIC[value];
  if (value >= 232) return hex((8 + (value - 232) * 10) * 0x010101);
  const cube = value - 16;
  const [red = 0, green = 0, blue = 0] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(
    (i) => CUBE[i],
  );
  return hex((red << 16) | (green << 8) | blue);
}

const hex = (value: number): string => `#${value.toString(16).padStart(6, "0")}`;

function drawLine(runs: readonly Run[], row: number, look: Look): string[] {
  const top = MARGIN.top + row * CELL.height;
  const fills = runs
    .filter(({ style }) => style.background !== undefined)
    .map(
      ({ column, width, style }) =>
        `<rect x="${leftOf(column)}" y="${top}" width="${round(width * CELL.width)}" height="${CELL.height}" fill="${style.background}"/>`,
    );
  return [...fills, ...runs.flatMap((run) => drawRun(run, top + BASELINE, look))];
}

function drawRun({ column, width, text, style }: Run, y: number, look: Look): string[] {
  if (text.trim() === "" && !style.attributes.includes("decoration")) return [];
  const fill = style.foreground === look.foreground ? "" : ` fill="${style.foreground}"`;
  // The length keeps columns aligned, whatever the reader's font.
  const length = `textLength="${round(width * CELL.width)}" lengthAdjust="spacingAndGlyphs"`;
  return [
    `<text x="${leftOf(column)}" y="${y}" ${length}${fill}${style.attributes} xml:space="preserve">${escapeXml(text)}</text>`,
  ];
}

function drawCursor({ cursor }: Screen, look: Look): string {
  if (!cursor) return "";
  const y = MARGIN.top + cursor.row * CELL.height;
  return `\n<rect x="${leftOf(cursor.column)}" y="${y}" width="${CELL.width}" height="${CELL.height}" fill="${look.foreground}" opacity="0.55"/>`;
}

const leftOf = (column: number): number => round(MARGIN.left + column * CELL.width);
const round = (value: number): number => Math.round(value * 10) / 10;
const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
