// Converts a notebook's cells to one editable text and back: `# %% [code] cell:0`, then the lines of the cell.

export type CellType = "code" | "markdown" | "raw";

/** One cell of an edited text. */
export interface TextCell {
  readonly type: CellType;
  /** The number of the existing cell; absent for a new one. */
  readonly number?: number | undefined;
  readonly source: string;
}

const HEADER = /^# %% \[(code|markdown|raw)\](?: cell:(\d+|new))?[ \t\r]*$/;
/** A line of a cell that looks like a header, or like one that was already escaped, gets one more `#`. */
const LIKE_HEADER = /^#+ %% \[(?:code|markdown|raw)\](?: cell:(?:\d+|new))?[ \t\r]*$/gm;
const MADE_DIFFERENT = /^#(#+ %% \[(?:code|markdown|raw)\](?: cell:(?:\d+|new))?[ \t\r]*)$/gm;

export function cellsText(cells: readonly { readonly type: string; readonly source: string }[]): string {
  return cells
    .map(({ type, source }, number) => {
      const header = `# %% [${type}] cell:${number}\n`;
      return source === "" ? header : `${header}${source.replace(LIKE_HEADER, "#$&")}\n`;
    })
    .join("");
}

/** Undefined if the text does not begin with a header. */
export function parseCellsText(text: string): TextCell[] | undefined {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const cells: { type: CellType; number?: number; lines: string[] }[] = [];
  for (const line of lines) {
    const [, type, number] = HEADER.exec(line) ?? [];
    const current = cells.at(-1);
    if (type !== undefined) {
      const known = number === undefined || number === "new" ? {} : { number: Number(number) };
      cells.push({ type: type as CellType, ...known, lines: [] });
    } else if (current) current.lines.push(line.replace(MADE_DIFFERENT, "$1"));
    else if (line.trim() !== "") return undefined;
  }
  return cells.map(({ lines: source, ...cell }) => ({ ...cell, source: source.join("\n") }));
}
