// Writes Markdown from the parts of a page, in one pass. Nesting is bounded: deeper levels add no more indentation, and
// the search for the start of a misplaced end tag is limited.

import { oneLine } from "../../../../base/text/one-line.ts";
import { BLOCKS, IGNORED, INLINE, isLeftOut, languageOf, MARKS } from "./elements.ts";
import type { HtmlHandler } from "./html-tokens.ts";
import { linkAddress, resolveAddress } from "./link-address.ts";
import { codeLines, inlineCode, tableLines } from "./markdown-blocks.ts";

type Attributes = ReadonlyMap<string, string>;

interface OpenElement {
  readonly name: string;
  /** Undoes the effect of the start tag. */
  readonly end: () => void;
}

/** A position in the page that is being written. */
export interface Place {
  /** Number of Markdown parts before it. */
  readonly part: number;
  /** Length of the text before it, without links. */
  readonly text: number;
}

/** Text being written: the page, or a table cell, which is a single line. */
interface Sheet {
  readonly parts: string[];
  readonly isOneLine: boolean;
  isEmpty: boolean;
  /** Pending line breaks and a space before the next word. */
  breaks: number;
  space: boolean;
  /** What the next line begins with instead of the prefix: `- `, `## `. */
  lineStart: string | undefined;
}

interface Table {
  rows: string[][];
  row: string[] | undefined;
  /** Name of the open cell. */
  cell: string | undefined;
  /** It contains another table, so it only serves layout: its cells are ordinary text. */
  isLayout: boolean;
}

export class MarkdownWriter implements HtmlHandler {
  readonly #deepest = 12;
  readonly #mostOpen = 10_000;
  readonly #farthestEnd = 100;
  readonly #page: Sheet = this.#newSheet(false);
  #sheet: Sheet = this.#page;
  readonly #open: OpenElement[] = [];
  readonly #tables: Table[] = [];
  /** One entry per list: the number of the next item, undefined for bullets, and whether an item is open. */
  readonly #lists: { next: number | undefined; hasItem: boolean }[] = [];
  /** Starts every line inside items and quotations. */
  #prefix = "";
  #depth = 0;
  /** An element whose content is omitted, and how many of its kind are open inside. */
  #skipped: { name: string; open: number } | undefined;
  readonly #markCount = new Map<string, number>();
  /** Marks that wait for the next word. */
  #pendingMarks: string[] = [];
  #inLink = false;
  /** Characters of the page outside links. */
  #textLength = 0;
  /** The base of relative addresses; the page may set it once. */
  #base: string | undefined;
  #hasOwnBase = false;
  readonly #leftOut: ReadonlySet<string>;
  /** Text of code, which is kept verbatim. */
  #code: { readonly parts: string[]; readonly isBlock: boolean; language: string } | undefined;

  constructor(base?: string, leftOut: readonly string[] = []) {
    this.#base = base;
    this.#leftOut = new Set(leftOut);
  }

  get isInLink(): boolean {
    return this.#inLink;
  }

  place(): Place {
    return { part: this.#page.parts.length, text: this.#textLength };
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skipped !== undefined) {
      if (name === this.#skipped.name) this.#skipped.open += 1;
    } else if (IGNORED.has(name) || isLeftOut(name, attributes, this.#leftOut)) this.#skipped = { name, open: 1 };
    else if (this.#code !== undefined) this.#insideCode(name, attributes);
    else this.#begin(name, attributes);
  }

  close(name: string): void {
    if (this.#skipped !== undefined) {
      if (name === this.#skipped.name && --this.#skipped.open === 0) this.#skipped = undefined;
      return;
    }
    if (this.#code === undefined && BLOCKS.has(name)) this.#break(name === "p" ? 2 : 1);
    if (/^h[1-6]$/.test(name)) this.#endHeading();
    const at = this.#openIndex(name);
    while (at !== -1 && this.#open.length > at) this.#open.pop()!.end();
  }

  text(text: string): void {
    if (this.#skipped !== undefined) return;
    if (this.#code !== undefined) {
      this.#code.parts.push(text);
      return;
    }
    const words = text.replace(/[\s\u00a0]+/g, " ");
    if (words.startsWith(" ")) this.#sheet.space = true;
    const inner = words.trim();
    if (inner === "") return;
    this.#word(inner);
    this.#sheet.space = words.endsWith(" ");
  }

  /** Ends everything that is still open. */
  end(): void {
    this.#skipped = undefined;
    while (this.#open.length > 0) this.#open.pop()!.end();
  }

  markdown(from?: Place, to?: Place): string {
    return this.#page.parts.slice(from?.part, to?.part).join("").trim();
  }

  #begin(name: string, attributes: Attributes): void {
    const mark = MARKS.get(name);
    if (mark !== undefined) this.#beginMark(name, mark);
    else if (BLOCKS.has(name)) this.#break(name === "p" ? 2 : 1);
    else if (/^h[1-6]$/.test(name)) this.#beginLine(2, `${"#".repeat(Number(name[1]))} `);
    else if (name === "ul" || name === "ol") this.#beginList(name, attributes);
    else if (name === "li") this.#beginItem();
    else if (name === "blockquote") this.#beginQuote();
    else if (name === "pre" || INLINE.has(name)) this.#beginLinkOrCode(name, attributes);
    else if (name === "table" || name === "tr" || name === "td" || name === "th") this.#beginTable(name);
    else if (name === "br") this.#break(Math.min(2, this.#sheet.breaks + 1));
    else if (name === "hr") {
      this.#break(2);
      this.#word("---");
      this.#break(2);
    } else if (name === "img") this.#image(attributes);
    else if (name === "base") this.#setBase(attributes.get("href"));
  }

  #setBase(href: string | undefined): void {
    if (href === undefined || this.#hasOwnBase || this.#base === undefined) return;
    this.#hasOwnBase = true;
    this.#base = resolveAddress(href, this.#base);
  }

  #beginMark(name: string, mark: string): void {
    const count = (this.#markCount.get(mark) ?? 0) + 1;
    const isPushed = this.#push(name, () => {
      const left = this.#markCount.get(mark)! - 1;
      this.#markCount.set(mark, left);
      if (left === 0) this.#endMark(mark, mark);
    });
    if (!isPushed) return;
    this.#markCount.set(mark, count);
    if (count === 1) this.#pendingMarks.push(mark);
  }

  /** Removes a mark that was followed by no word. */
  #endMark(begin: string, end: string): void {
    const at = this.#pendingMarks.lastIndexOf(begin);
    if (at === -1) this.#sheet.parts.push(end);
    else this.#pendingMarks.splice(at, 1);
  }

  #beginLinkOrCode(name: string, attributes: Attributes): void {
    if (name === "a") {
      const href = attributes.get("href");
      if (this.#inLink) this.close("a");
      const address = href && linkAddress(href, this.#base);
      if (!address || this.#inLink) return;
      const isPushed = this.#push(name, () => {
        this.#inLink = false;
        this.#endMark("[", `](${address})`);
      });
      if (!isPushed) return;
      this.#inLink = true;
      this.#pendingMarks.push("[");
      return;
    }
    const code = { parts: [], isBlock: name === "pre", language: languageOf(attributes) };
    if (this.#push(name, () => this.#endCode(code))) this.#code = code;
  }

  #insideCode(name: string, attributes: Attributes): void {
    const code = this.#code!;
    if (name === "br") code.parts.push("\n");
    else if (BLOCKS.has(name) || name === "li" || name === "tr") {
      const last = code.parts.at(-1);
      if (last !== undefined && !last.endsWith("\n")) code.parts.push("\n");
    } else if (name === "code" && code.language === "") code.language = languageOf(attributes);
  }

  #endCode({ parts, isBlock, language }: { parts: readonly string[]; isBlock: boolean; language: string }): void {
    this.#code = undefined;
    const text = parts.join("");
    if (isBlock && !this.#sheet.isOneLine && !this.#inLink) {
      const lines = codeLines(text, language);
      if (lines.length > 0) this.#lines(lines);
      return;
    }
    const words = inlineCode(text);
    if (words !== "") this.#word(words);
  }

  #beginList(name: string, attributes: Attributes): void {
    const start = Number.parseInt(attributes.get("start") ?? "1", 10);
    const list = { next: name === "ol" ? (Number.isNaN(start) ? 1 : start) : undefined, hasItem: false };
    this.#break(this.#lists.length === 0 ? 2 : 1);
    const isPushed = this.#push(name, () => {
      this.#lists.pop();
      this.#break(this.#lists.length === 0 ? 2 : 1);
    });
    if (isPushed) this.#lists.push(list);
  }

  #beginItem(): void {
    const list = this.#lists.at(-1);
    if (list === undefined) {
      this.#beginLine(1, "- ");
      return;
    }
    // A new item implicitly ends the previous one.
    if (list.hasItem) this.close("li");
    const marker = list.next === undefined ? "- " : `${list.next++}. `;
    const outer = this.#prefix;
    const isPushed = this.#push("li", () => {
      this.#prefix = outer;
      this.#depth -= 1;
      list.hasItem = false;
      this.#sheet.lineStart = undefined;
      this.#break(1);
    });
    if (!isPushed) return;
    list.hasItem = true;
    this.#beginLine(1, marker);
    this.#depth += 1;
    if (this.#depth <= this.#deepest) this.#prefix += " ".repeat(marker.length);
  }

  #beginQuote(): void {
    const outer = this.#prefix;
    this.#break(2);
    const isPushed = this.#push("blockquote", () => {
      this.#prefix = outer;
      this.#depth -= 1;
      this.#break(2);
    });
    if (!isPushed) return;
    this.#depth += 1;
    if (this.#depth <= this.#deepest) this.#prefix += "> ";
  }

  #beginTable(name: string): void {
    if (name === "table") {
      // This one has already laid out all tables around it.
      const outer = this.#tables.at(-1);
      if (outer !== undefined && !outer.isLayout) this.#layOut(outer);
      this.#break(2);
      if (this.#push(name, () => this.#endTable())) {
        this.#tables.push({ rows: [], row: undefined, cell: undefined, isLayout: false });
      }
      return;
    }
    const table = this.#tables.at(-1);
    if (table === undefined || table.isLayout) this.#break(1);
    else if (name === "tr") {
      if (table.row !== undefined) this.close("tr");
      const row: string[] = [];
      const isPushed = this.#push(name, () => {
        table.row = undefined;
        if (!table.isLayout) table.rows.push(row);
      });
      if (isPushed) table.row = row;
    } else this.#beginCell(name, table);
  }

  #beginCell(name: string, table: Table): void {
    if (table.cell !== undefined) this.close(table.cell);
    if (table.row === undefined) this.#beginTable("tr");
    const row = table.row;
    const cell = this.#newSheet(true);
    const isPushed = this.#push(name, () => {
      table.cell = undefined;
      this.#sheet = this.#page;
      if (table.isLayout) this.#break(1);
      else row?.push(cell.parts.join("").trim());
    });
    if (!isPushed) return;
    table.cell = name;
    this.#sheet = cell;
  }

  /** What was collected so far becomes ordinary text, and so does the rest. */
  #layOut(table: Table): void {
    table.isLayout = true;
    const cell = this.#sheet;
    this.#sheet = this.#page;
    const cells = [...table.rows.flat(), ...(table.row ?? []), ...(cell.isOneLine ? [cell.parts.join("")] : [])];
    for (const text of cells) {
      this.#break(1);
      if (text.trim() !== "") this.#word(text.trim());
    }
    table.rows = [];
    this.#break(1);
  }

  #endTable(): void {
    const { rows } = this.#tables.pop()!;
    this.#break(2);
    this.#lines(tableLines(rows));
  }

  #image(attributes: Attributes): void {
    const src = attributes.get("src") ?? "";
    const alt = oneLine(attributes.get("alt") ?? "");
    const address = linkAddress(src, this.#base);
    if (src === "" || address === undefined) this.text(alt);
    else this.#word(`![${alt}](${address})`);
  }

  #endHeading(): void {
    if (this.#sheet.lineStart?.endsWith("# ")) this.#sheet.lineStart = undefined;
    this.#break(2);
  }

  /** False if nesting is too deep: the element then has no effect. */
  #push(name: string, end: () => void): boolean {
    if (this.#open.length >= this.#mostOpen) return false;
    this.#open.push({ name, end });
    return true;
  }

  /** -1 if it is not open, too far away, or behind an element that its kind does not cross. */
  #openIndex(name: string): number {
    const isInline = INLINE.has(name);
    const ofTable = name === "table" || name === "tr" || name === "td" || name === "th";
    const last = Math.max(0, this.#open.length - this.#farthestEnd);
    for (let at = this.#open.length - 1; at >= last; at--) {
      const { name: open } = this.#open[at]!;
      if (open === name) return at;
      if (isInline && !INLINE.has(open)) return -1;
      if (!ofTable && (open === "td" || open === "th")) return -1;
    }
    return -1;
  }

  #beginLine(breaks: number, start: string): void {
    this.#break(breaks);
    const sheet = this.#sheet;
    if (sheet.isOneLine || this.#inLink) return;
    if ((sheet.lineStart ?? "").length > 4 * this.#deepest) return;
    sheet.lineStart = (sheet.lineStart ?? this.#prefix) + start;
  }

  #break(count: number): void {
    const sheet = this.#sheet;
    if (this.#inLink) sheet.space = true;
    // A new line is already pending.
    else if (sheet.lineStart === undefined) sheet.breaks = Math.max(sheet.breaks, count);
  }

  #word(word: string): void {
    const sheet = this.#sheet;
    const { parts, isEmpty, breaks } = sheet;
    if (sheet.isOneLine) {
      if (!isEmpty && (breaks > 0 || sheet.space)) parts.push(" ");
    } else if (isEmpty || breaks > 0) {
      if (!isEmpty) parts.push(breaks > 1 ? `\n${this.#prefix.trimEnd()}\n` : "\n");
      parts.push(sheet.lineStart ?? this.#prefix);
    } else if (sheet.space) parts.push(" ");
    if (!sheet.isOneLine && !this.#inLink) this.#textLength += word.length;
    parts.push(...this.#pendingMarks, word);
    this.#pendingMarks = [];
    Object.assign(sheet, { isEmpty: false, breaks: 0, space: false, lineStart: undefined });
  }

  #lines(lines: readonly string[]): void {
    this.#break(2);
    for (const line of lines) {
      this.#word(line);
      this.#break(1);
    }
    this.#break(2);
  }

  #newSheet(isOneLine: boolean): Sheet {
    return { parts: [], isOneLine, isEmpty: true, breaks: 0, space: false, lineStart: undefined };
  }
}
