// Collects the text of a document as lines: headings, paragraphs, list items and tables, up to a limit.

import { oneLine } from "../../../../base/text/one-line.ts";

/** More than a session could ever show; the rest is left out, with a note. */
const MOST_CHARACTERS = 8_000_000;
const MOST_HEADING = 6;

export class TextWriter {
  readonly #lines: string[] = [];
  #characters = 0;

  get isFull(): boolean {
    return this.#characters > MOST_CHARACTERS;
  }

  /** Writes a heading with an empty line before it. */
  heading(level: number, text: string): void {
    const flat = cleanLine(text);
    if (flat === "") return;
    this.blank();
    this.line(`${"#".repeat(Math.min(Math.max(level, 1), MOST_HEADING))} ${flat}`);
    this.blank();
  }

  paragraph(text: string): void {
    const clean = cleanText(text);
    if (clean.trim() === "") this.blank();
    else for (const line of clean.split("\n")) this.line(line.trimEnd());
  }

  item(level: number, mark: string, text: string): void {
    const indent = "  ".repeat(Math.min(level, 20));
    const [first, ...more] = cleanText(text)
      .split("\n")
      .filter((line) => line.trim() !== "");
    if (first === undefined) return;
    this.line(`${indent}${mark} ${first.trim()}`);
    for (const line of more) this.line(`${indent}  ${line.trimEnd()}`);
  }

  /** The first row becomes the header. */
  table(rows: readonly (readonly string[])[]): void {
    const columns = Math.max(0, ...rows.map((row) => row.length));
    if (columns === 0) return;
    this.blank();
    rows.forEach((row, i) => {
      this.line(tableRow(row));
      if (i === 0 && rows.length > 1) this.line(tableRow(Array.from({ length: columns }, () => "---")));
    });
    this.blank();
  }

  line(text: string): void {
    if (this.isFull) return;
    this.#characters += text.length + 1;
    this.#lines.push(text);
  }

  /** Writes an empty line, but never two in a row. */
  blank(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.line("");
  }

  text(): string {
    while (this.#lines.at(-1) === "") this.#lines.pop();
    if (this.isFull) this.#lines.push("[the rest of the document is left out]");
    return this.#lines.join("\n");
  }
}

export const tableRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cleanLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;

/** Removes characters that a terminal would interpret. */
const cleanText = (text: string): string =>
  text.replace(/\r\n?|[\u000b\u000c\u2028\u2029]/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "");

export const cleanLine = (text: string): string => oneLine(cleanText(text));
