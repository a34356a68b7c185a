// The text of a page of a book: headings, paragraphs, lists, tables and preformatted text.

import type { XmlHandler } from "./package-parts.ts";
import type { TextWriter } from "./text-writer.ts";

const SILENT = new Set(["script", "style", "head", "svg", "math"]);
const BLOCKS = new Set(
  "p div section article header footer blockquote figure figcaption aside main nav dl dt dd body hr address".split(" "),
);

export class HtmlReader implements XmlHandler {
  readonly #writer: TextWriter;
  #text = "";
  #silent = 0;
  #preformatted = 0;
  readonly #lists: { isCounted: boolean; count: number }[] = [];
  #isItem = false;
  #rows: string[][] | undefined;

  constructor(writer: TextWriter) {
    this.#writer = writer;
  }

  open(name: string): void {
    if (SILENT.has(name)) this.#silent += 1;
    if (name === "br") this.#text += "\n";
    else if (name === "pre") {
      this.#flush();
      this.#preformatted += 1;
    } else if (name === "ul" || name === "ol") {
      this.#flush();
      this.#lists.push({ isCounted: name === "ol", count: 0 });
    } else if (name === "li") {
      this.#flush();
      this.#isItem = true;
      const list = this.#lists.at(-1);
      if (list) list.count += 1;
    } else if (name === "table") {
      this.#flush();
      this.#rows ??= [];
    } else if (name === "tr") this.#rows?.push([]);
    else if (name === "td" || name === "th") this.#text = "";
    else if ((BLOCKS.has(name) || /^h[1-6]$/.test(name)) && !this.#rows) this.#flush();
  }

  text(text: string): void {
    if (this.#silent > 0) return;
    this.#text += this.#preformatted > 0 ? text : text.replace(/\s+/g, " ");
  }

  close(name: string): void {
    if (SILENT.has(name)) this.#silent -= 1;
    if (name === "td" || name === "th") {
      this.#rows?.at(-1)?.push(this.#text);
      this.#text = "";
    } else if (name === "table" && this.#rows) {
      this.#writer.table(this.#rows);
      this.#rows = undefined;
      this.#text = "";
    } else if (this.#rows) {
      if (BLOCKS.has(name)) this.#text += " ";
    } else if (/^h[1-6]$/.test(name)) {
      this.#writer.heading(Number(name[1]), this.#text);
      this.#text = "";
    } else if (name === "pre") {
      this.#flush();
      this.#preformatted -= 1;
    } else if (name === "li") this.#flush();
    else if (name === "ul" || name === "ol") {
      this.#flush();
      this.#lists.pop();
      if (this.#lists.length === 0) this.#writer.blank();
    } else if (BLOCKS.has(name)) {
      this.#flush();
      if (this.#lists.length === 0) this.#writer.blank();
    }
  }

  isDone(): boolean {
    return this.#writer.isFull;
  }

  #flush(): void {
    const text = this.#preformatted > 0 ? this.#text.replace(/^\n|\n$/g, "") : this.#text.trim();
    this.#text = "";
    if (text === "") return;
    const list = this.#lists.at(-1);
    if (!list) {
      this.#writer.paragraph(text);
      return;
    }
    const mark = !this.#isItem ? " " : list.isCounted ? `${list.count}.` : "-";
    this.#writer.item(this.#lists.length - 1, mark, text);
    this.#isItem = false;
  }
}
