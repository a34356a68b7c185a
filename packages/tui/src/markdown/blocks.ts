// The block structure of markdown, line by line: containers (quotes, list items) around one open leaf (paragraph, code,
// table …). The cost of a line does not depend on the length of the text, and whatever can no longer change leaves as
// parts at once.

import { CodeHighlighter } from "../highlight/highlight.ts";
import { codeLine, emptyItem, gap, heading, type Lead, type Marker, type Part, paragraph, raw, rule } from "./part.ts";
import { type Cells, cellsOf, isDelimiterRow, TableShape, tableRow, tableStart } from "./table.ts";

interface List {
  readonly kind: string;
  number: number;
  items: number;
  /** The number of blocks in the newest item. */
  itemBlocks: number;
}

/** A container of blocks: the document, a quote or a list item. */
interface Holder {
  readonly kind: "document" | "quote" | "item";
  blocks: number;
  lastBlock: string;
  /** Its newest list, unless something has followed it. */
  list: List | undefined;
  /** For items: the columns that a line needs to belong to it, and the position of its marker. */
  readonly indent: number;
  readonly markerIndent: number;
  marker: Marker | undefined;
  isMarkerShown: boolean;
}

type Leaf =
  | { readonly kind: "paragraph"; readonly lines: readonly string[] }
  | { readonly kind: "fence"; readonly mark: string; readonly indent: number; readonly code: CodeHighlighter }
  | { readonly kind: "indented"; readonly code: CodeHighlighter; readonly blanks: number }
  | { readonly kind: "html" }
  | {
      readonly kind: "table";
      readonly header: Cells;
      readonly delimiter: Cells;
      readonly rows: readonly Cells[];
      readonly shape?: TableShape;
    };

const FENCE = /^( {0,3})(`{3,}|~{3,}) *([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?: +(.*?))?(?: +#+)? *$/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const SETEXT = /^ {0,3}(=+|-+) *$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( +)(.*))?$/;
const TASK = /^\[([ xX])\] +/;
const HTML =
  /^ {0,3}<(?:!|\?|\/?(?:address|article|aside|blockquote|body|center|details|dialog|div|dl|fieldset|figure|footer|form|h[1-6]|head|header|hr|html|iframe|li|link|main|menu|meta|nav|ol|p|pre|script|section|style|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)\b)/i;
const LISTED = /^ *(?:[-*+]|\d{1,9}[.)])(?: |$)/;

const PARAGRAPH_LINES = 100;
const PARAGRAPH_CHARS = 8_000;

const indentOf = (line: string): number => line.length - line.trimStart().length;

export class Blocks {
  /** Finished blocks, in order; the caller empties the list when it takes them. */
  parts: Part[] = [];
  #holders: Holder[] = [holder("document")];
  #leaf: Leaf | undefined;
  #isBlank = false;
  #gap: Lead | undefined;

  /** A copy for previews that can be fed unfinished lines. */
  fork(): Blocks {
    const copy = new Blocks();
    copy.#holders = this.#holders.map((one) => ({ ...one, list: one.list && { ...one.list } }));
    // The first line of a table looks like text until the second one arrives.
    const isHeader =
      this.#leaf?.kind === "paragraph" && this.#leaf.lines.length === 1 && this.#leaf.lines[0]?.startsWith("|");
    copy.#leaf = isHeader ? undefined : this.#leaf;
    copy.#isBlank = this.#isBlank;
    copy.#gap = this.#gap;
    return copy;
  }

  /** Whether the next line is shown as written, unless it ends the block. */
  get isVerbatim(): boolean {
    return this.#leaf !== undefined && ["fence", "indented", "html"].includes(this.#leaf.kind);
  }

  /** Whether the next line is probably a table row: half a row would shift all columns. */
  get isTable(): boolean {
    return this.#leaf?.kind === "table";
  }

  /** A line without its line break, already made visible. */
  line(text: string): void {
    const { rest, depth } = this.#matchHolders(text);
    const isInside = depth === this.#holders.length;
    if (isInside && this.#continuesLeaf(rest)) return;
    if (rest.trim() === "") {
      this.#blank(depth);
      return;
    }
    if (!isInside && this.#leaf?.kind === "paragraph" && !this.#startsBlock(rest)) {
      this.#addLine(this.#leaf.lines, rest);
      return;
    }
    this.#closeTo(depth);
    this.#open(rest);
  }

  /** Ends the text. */
  end(): void {
    this.#closeTo(1);
    this.#closeLeaf();
  }

  get #top(): Holder {
    return this.#holders.at(-1) as Holder;
  }

  /** How many of the open containers the line belongs to, and what is left of it inside them. */
  #matchHolders(text: string): { rest: string; depth: number } {
    let rest = text;
    let depth = 1;
    for (const one of this.#holders.slice(1)) {
      if (one.kind === "quote") {
        const mark = QUOTE.exec(rest);
        if (mark === null) break;
        rest = rest.slice(mark[0].length);
      } else if (rest.trim() !== "") {
        const indent = indentOf(rest);
        // Two columns are enough for a list inside a numbered one, since users and models write it so.
        const isNested = indent >= one.markerIndent + 2 && LISTED.test(rest);
        if (indent < one.indent && !isNested) break;
        rest = rest.slice(Math.min(indent, one.indent));
      }
      depth++;
    }
    return { rest, depth };
  }

  /** Whether the line belongs to the open leaf, without checking what else it could be. */
  #continuesLeaf(rest: string): boolean {
    const leaf = this.#leaf;
    if (leaf?.kind === "fence") {
      const close = FENCE.exec(rest);
      if (close?.[2]?.startsWith(leaf.mark) && close[3]?.trim() === "") this.#leaf = undefined;
      else this.#emit((lead) => codeLine(rest.slice(Math.min(leaf.indent, indentOf(rest))), leaf.code, lead));
      return true;
    }
    if (leaf?.kind === "html" && rest.trim() !== "") {
      this.#emit((lead) => raw(rest.trimEnd(), lead));
      return true;
    }
    if (leaf?.kind !== "indented") return false;
    if (rest.trim() === "") {
      this.#leaf = { ...leaf, blanks: leaf.blanks + 1 };
      return true;
    }
    if (indentOf(rest) < 4) {
      if (leaf.blanks > 0) this.#isBlank = true;
      return false;
    }
    for (let blank = 0; blank < leaf.blanks; blank++) this.#emit((lead) => codeLine("", leaf.code, lead));
    this.#leaf = { ...leaf, blanks: 0 };
    this.#emit((lead) => codeLine(rest.slice(4), leaf.code, lead));
    return true;
  }

  #blank(depth: number): void {
    const firstUnmatched = this.#holders.slice(depth).findIndex(({ kind }) => kind === "quote");
    if (firstUnmatched >= 0) this.#closeTo(depth + firstUnmatched);
    this.#closeLeaf();
    this.#isBlank = true;
  }

  #startsBlock(rest: string): boolean {
    const isItem = ITEM.exec(rest);
    if (isItem !== null) return true;
    return QUOTE.test(rest) || HEADING.test(rest) || RULE.test(rest) || FENCE.test(rest) || HTML.test(rest);
  }

  /** Opens the quotes and items that the line begins, then its leaf. */
  #open(text: string): void {
    let rest = text;
    for (;;) {
      const quote = QUOTE.exec(rest);
      const item = quote === null && !RULE.test(rest) ? ITEM.exec(rest) : null;
      if (quote !== null) {
        this.#closeLeaf();
        this.#begin("quote");
        this.#holders.push(holder("quote"));
        rest = rest.slice(quote[0].length);
      } else if (item !== null && !this.#isTextOfParagraph(item)) {
        this.#closeLeaf();
        rest = this.#openItem(item);
      } else break;
      if (rest.trim() === "") return;
    }
    this.#openLeaf(rest);
  }

  /** Inside a paragraph, only a list that starts at 1 and has text counts as a list: "in\n1998. It was" does not. */
  #isTextOfParagraph(item: RegExpExecArray): boolean {
    if (this.#leaf?.kind !== "paragraph" || this.#top.kind === "item") return false;
    const [, , mark = "", , content = ""] = item;
    return content.trim() === "" || (/\d/.test(mark) && Number.parseInt(mark, 10) !== 1);
  }

  #openItem([, before = "", mark = "", space = "", content = ""]: RegExpExecArray): string {
    const parent = this.#top;
    const kind = mark.at(-1) ?? "";
    const number = Number.parseInt(mark, 10);
    if (parent.list?.kind === kind) {
      const list = parent.list;
      if (this.#isBlank && list.itemBlocks > 1) this.#gap = this.#lead(false);
      list.items++;
      list.itemBlocks = 0;
      list.number = Math.max(list.number + 1, number);
    } else {
      this.#begin("list");
      parent.list = { kind, number, items: 1, itemBlocks: 0 };
    }
    this.#isBlank = false;
    const task = TASK.exec(content);
    const marker: Marker =
      task !== null
        ? { kind: "task", isDone: task[1] !== " " }
        : Number.isNaN(number)
          ? { kind: "bullet" }
          : { kind: "number", text: `${parent.list.number}${kind}` };
    // Wide space after the marker is the indent of code inside the item.
    const wide = space.length > 4 || content.trim() === "" ? 1 : space.length;
    const indent = before.length + mark.length + wide;
    this.#holders.push({ ...holder("item"), indent, markerIndent: before.length, marker });
    return task === null ? `${space.slice(wide)}${content}` : content.slice(task[0].length);
  }

  #openLeaf(rest: string): void {
    const leaf = this.#leaf;
    if (leaf?.kind === "table" && !this.#startsBlock(rest)) {
      this.#addTableRow(leaf, rest);
      return;
    }
    if (leaf?.kind === "paragraph") {
      if (this.#turnsParagraph(leaf.lines, rest)) return;
      if (!this.#startsBlock(rest)) {
        this.#addLine(leaf.lines, rest);
        return;
      }
    }
    this.#closeLeaf();
    const fence = FENCE.exec(rest);
    const title = HEADING.exec(rest);
    if (fence !== null) {
      this.#begin("code");
      const [, before = "", mark = "", info = ""] = fence;
      const code = new CodeHighlighter(info.trim().split(/[\s{,:]/)[0] ?? "");
      this.#leaf = { kind: "fence", mark, indent: before.length, code };
    } else if (title !== null) {
      this.#begin("heading");
      this.#emit((lead) => heading(title[2] ?? "", title[1]?.length ?? 1, lead));
    } else if (RULE.test(rest)) {
      this.#begin("rule");
      this.#emit(rule);
    } else if (HTML.test(rest)) {
      this.#begin("html");
      this.#leaf = { kind: "html" };
      this.#emit((lead) => raw(rest.trimEnd(), lead));
    } else if (indentOf(rest) >= 4) {
      this.#begin("code");
      const code = new CodeHighlighter("");
      this.#leaf = { kind: "indented", code, blanks: 0 };
      this.#emit((lead) => codeLine(rest.slice(4), code, lead));
    } else {
      this.#begin("paragraph");
      this.#leaf = { kind: "paragraph", lines: [trimLine(rest)] };
    }
  }

  #addLine(lines: readonly string[], rest: string): void {
    // This is no longer prose: without a limit, each frame would cost as much as all of it.
    const chars = lines.reduce((sum, { length }) => sum + length, rest.length);
    const isLong = lines.length >= PARAGRAPH_LINES || chars > PARAGRAPH_CHARS;
    if (isLong) this.#closeLeaf();
    this.#leaf = { kind: "paragraph", lines: isLong ? [trimLine(rest)] : [...lines, trimLine(rest)] };
  }

  /**
   * A line of `===` or `---` turns the paragraph above it into a heading, `|---|---|` turns its last line into a table.
   */
  #turnsParagraph(lines: readonly string[], rest: string): boolean {
    const level = SETEXT.exec(rest)?.[1]?.startsWith("=") ? 1 : 2;
    const above = lines.at(-1) ?? "";
    if (SETEXT.test(rest)) {
      this.#leaf = undefined;
      this.#emit((lead) => heading(lines.join("\n").trimEnd(), level, lead));
      this.#top.lastBlock = "heading";
      return true;
    }
    if (!isDelimiterRow(rest) || cellsOf(above).length !== cellsOf(rest).length) return false;
    this.#leaf = undefined;
    if (lines.length > 1) {
      this.#emit((lead) => paragraph(lines.slice(0, -1).join("\n").trimEnd(), lead));
      this.#begin("table");
    }
    this.#leaf = { kind: "table", header: cellsOf(above), delimiter: cellsOf(rest), rows: [] };
    return true;
  }

  #addTableRow(leaf: Leaf & { kind: "table" }, line: string): void {
    const cells = cellsOf(line);
    const { shape } = leaf;
    if (shape !== undefined) {
      this.#emit((lead) => tableRow(shape, cells, lead));
      return;
    }
    const rows = [...leaf.rows, cells];
    if (rows.length < TableShape.SAMPLE) this.#leaf = { ...leaf, rows };
    else this.#leaf = { ...leaf, rows, shape: this.#startTable(leaf, rows) };
  }

  #startTable(leaf: Leaf & { kind: "table" }, rows: readonly Cells[]): TableShape {
    const shape = new TableShape(leaf.header, leaf.delimiter, rows);
    this.#emit((lead) => tableStart(shape, lead));
    return shape;
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    this.#leaf = undefined;
    if (leaf?.kind === "paragraph") this.#emit((lead) => paragraph(leaf.lines.join("\n").trimEnd(), lead));
    if (leaf?.kind === "table" && leaf.shape === undefined) this.#startTable(leaf, leaf.rows);
    if (leaf?.kind === "indented" && leaf.blanks > 0) this.#isBlank = true;
  }

  #closeTo(depth: number): void {
    while (this.#holders.length > depth) {
      this.#closeLeaf();
      const item = this.#top;
      if (item.kind === "item" && !item.isMarkerShown) this.#emit(emptyItem);
      this.#holders.pop();
      const list = this.#top.list;
      if (item.kind === "item" && list !== undefined) list.itemBlocks = item.blocks;
    }
  }

  /** Begins a block in the innermost container and decides whether a blank row precedes it. */
  #begin(kind: string): void {
    const parent = this.#top;
    const isDocument = parent.kind === "document";
    const isApart = isDocument && (kind === "heading" || kind === "code" || parent.lastBlock === "code");
    if (parent.blocks > 0 && (this.#isBlank || isApart)) this.#gap = this.#lead(false);
    parent.blocks++;
    parent.lastBlock = kind;
    if (kind !== "list") parent.list = undefined;
    this.#isBlank = false;
  }

  #lead(isFirst: boolean): Lead {
    const pieces = this.#holders.slice(1).map((one) => {
      if (one.marker === undefined) return { kind: "quote" } as const;
      return { kind: "item", marker: one.marker, isFirst: isFirst && !one.isMarkerShown } as const;
    });
    return pieces;
  }

  #emit(make: (lead: Lead) => Part): void {
    if (this.#gap !== undefined) this.parts.push(gap(this.#gap));
    this.#gap = undefined;
    this.parts.push(make(this.#lead(true)));
    for (const one of this.#holders) one.isMarkerShown = true;
  }
}

function holder(kind: Holder["kind"]): Holder {
  return {
    kind,
    blocks: 0,
    lastBlock: "",
    list: undefined,
    indent: 0,
    markerIndent: 0,
    marker: undefined,
    isMarkerShown: false,
  };
}

/** Spaces at the end of a line can mean a line break, so the inline grammar needs them. */
const trimLine = (line: string): string => line.trimStart();
