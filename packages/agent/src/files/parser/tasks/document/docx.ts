// Word documents: headings, paragraphs, lists, tables and footnotes.

import { CannotParse } from "../types.ts";
import { type Attributes, attribute, type Parts, readXml } from "./package-parts.ts";
import { cleanLine, TextWriter } from "./text-writer.ts";

interface Paragraph {
  text: string;
  style?: string;
  list?: string;
  level: number;
  outline?: number;
}

interface Table {
  readonly rows: string[][];
}

const TITLE_LEVEL = 1;

export function docxText(parts: Parts): string {
  const body = parts.get("word/document.xml");
  if (!body) throw new CannotParse("word/document.xml is missing in it");
  const writer = new TextWriter();
  const reader = new BodyReader(writer, headingsOf(parts), listsOf(parts));
  readXml(body, reader);
  const notes = parts.get("word/footnotes.xml");
  if (notes) readXml(notes, new NotesReader(writer));
  return writer.text();
}

/** Heading levels by style id. */
function headingsOf(parts: Parts): Map<string, number> {
  const levels = new Map<string, number>();
  let style = "";
  readXml(parts.get("word/styles.xml"), {
    open: (name, attributes) => {
      if (name === "style") style = attribute(attributes, "styleId") ?? "";
      const value = attribute(attributes, "val") ?? "";
      if (name === "name") {
        const level = /^title$/i.test(value) ? TITLE_LEVEL : Number(/^heading (\d)$/i.exec(value)?.[1]);
        if (level > 0) levels.set(style, level);
      } else if (name === "outlineLvl" && !levels.has(style) && Number(value) < 9) levels.set(style, Number(value) + 1);
    },
  });
  return levels;
}

/** Whether the items of a list are numbered, by list and level. */
function listsOf(parts: Parts): Map<string, boolean> {
  const counted = new Map<string, boolean>();
  const result = new Map<string, boolean>();
  let definition = "";
  let level = "";
  let list = "";
  readXml(parts.get("word/numbering.xml"), {
    open: (name, attributes) => {
      const value = attribute(attributes, "val") ?? "";
      if (name === "abstractNum") definition = attribute(attributes, "abstractNumId") ?? "";
      else if (name === "lvl") level = attribute(attributes, "ilvl") ?? "";
      else if (name === "numFmt") counted.set(`${definition} ${level}`, value !== "bullet" && value !== "none");
      else if (name === "num") list = attribute(attributes, "numId") ?? "";
      else if (name === "abstractNumId")
        for (const [key, isCounted] of counted) {
          const [id, at] = key.split(" ");
          if (id === value) result.set(`${list} ${at}`, isCounted);
        }
    },
  });
  return result;
}

/** Content that is repeated in another form elsewhere, or was deleted. */
const LEFT_OUT = new Set(["Fallback", "moveFrom", "del", "instrText"]);

class BodyReader {
  readonly #writer: TextWriter;
  readonly #headings: ReadonlyMap<string, number>;
  readonly #lists: ReadonlyMap<string, boolean>;
  readonly #counts = new Map<string, number>();
  readonly #open: string[] = [];
  readonly #paragraphs: Paragraph[] = [];
  readonly #tables: Table[] = [];
  #leftOut = 0;
  #inText = false;

  constructor(writer: TextWriter, headings: ReadonlyMap<string, number>, lists: ReadonlyMap<string, boolean>) {
    this.#writer = writer;
    this.#headings = headings;
    this.#lists = lists;
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#open.at(-1);
    this.#open.push(name);
    if (LEFT_OUT.has(name)) this.#leftOut += 1;
    if (this.#leftOut > 0) return;
    const paragraph = this.#paragraphs.at(-1);
    const value = attribute(attributes, "val");
    if (name === "p") this.#paragraphs.push({ text: "", level: 0 });
    else if (name === "tbl") this.#tables.push({ rows: [] });
    else if (name === "tr") this.#tables.at(-1)?.rows.push([]);
    else if (name === "tc") this.#tables.at(-1)?.rows.at(-1)?.push("");
    else if (!paragraph) return;
    else if (name === "t") this.#inText = true;
    else if (name === "pStyle" && value !== undefined) paragraph.style = value;
    else if (name === "numId" && value !== undefined) paragraph.list = value;
    else if (name === "ilvl") paragraph.level = Number(value) || 0;
    else if (name === "outlineLvl" && Number(value) < 9) paragraph.outline = Number(value);
    else if (name === "tab" && parent === "r") paragraph.text += "\t";
    else if (name === "br" || name === "cr") paragraph.text += "\n";
    else if (name === "noBreakHyphen") paragraph.text += "-";
    else if (name === "footnoteReference") paragraph.text += `[^${attribute(attributes, "id") ?? ""}]`;
  }

  text(text: string): void {
    if (this.#inText) this.#paragraphs.at(-1)!.text += text;
  }

  close(name: string): void {
    this.#open.pop();
    if (this.#leftOut > 0) {
      if (LEFT_OUT.has(name)) this.#leftOut -= 1;
      return;
    }
    if (name === "t") this.#inText = false;
    else if (name === "p") this.#finish(this.#paragraphs.pop());
    else if (name === "tbl") this.#finishTable(this.#tables.pop());
  }

  isDone(): boolean {
    return this.#writer.isFull;
  }

  #finish(paragraph: Paragraph | undefined): void {
    if (!paragraph) return;
    const { text, style = "", list, level, outline } = paragraph;
    const outer = this.#paragraphs.at(-1);
    if (outer) {
      // A text box in the middle of a paragraph.
      outer.text += outer.text === "" ? text : `\n${text}`;
      return;
    }
    const row = this.#tables.at(-1)?.rows.at(-1);
    if (row && row.length > 0) {
      row[row.length - 1] = `${row.at(-1)} ${text}`.trim();
      return;
    }
    const heading = this.#headings.get(style) ?? (outline === undefined ? undefined : outline + 1);
    if (heading !== undefined) this.#writer.heading(heading, text);
    else if (list !== undefined && list !== "0") this.#writer.item(level, this.#mark(list, level), text);
    else {
      this.#writer.paragraph(text);
      if (cleanLine(text) !== "") this.#writer.blank();
    }
  }

  #mark(list: string, level: number): string {
    const key = `${list} ${level}`;
    if (!this.#lists.get(key)) return "-";
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return `${count}.`;
  }

  #finishTable(table: Table | undefined): void {
    if (!table) return;
    const row = this.#tables.at(-1)?.rows.at(-1);
    if (row && row.length > 0) row[row.length - 1] = `${row.at(-1)} ${table.rows.flat().join(" ")}`.trim();
    else this.#writer.table(table.rows);
  }
}

class NotesReader {
  readonly #writer: TextWriter;
  #id = "";
  #text = "";
  #inText = false;
  #isNote = false;

  constructor(writer: TextWriter) {
    this.#writer = writer;
  }

  open(name: string, attributes: Attributes): void {
    if (name === "footnote") {
      this.#id = attribute(attributes, "id") ?? "";
      this.#isNote = attribute(attributes, "type") === undefined;
      this.#text = "";
    }
    this.#inText = name === "t";
  }

  text(text: string): void {
    if (this.#inText) this.#text += text;
  }

  close(name: string): void {
    if (name === "t") this.#inText = false;
    if (name === "footnote" && this.#isNote) this.#writer.paragraph(`[^${this.#id}]: ${cleanLine(this.#text)}`);
  }
}
