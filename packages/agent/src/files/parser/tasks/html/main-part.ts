// Finds the main content of a page while the page is written: <main> or <article>, if it contains most of the text.
// Menus and lists of links do not count: a page may have more of them than of anything else.

import type { HtmlHandler } from "./html-tokens.ts";
import type { MarkdownWriter, Place } from "./markdown-writer.ts";

interface Span {
  readonly start: Place;
  readonly end: Place;
}

/** All elements of one kind, of which the longest counts. Nested ones of the same kind are part of the outer one. */
class Candidates {
  longest: Span | undefined;
  /** Name of the open element: `div` for one with the role `main`. */
  #name: string | undefined;
  #start: Place | undefined;
  /** Number of open elements with that name, including the first one. */
  #depth = 0;

  open(name: string, isOfKind: boolean, writer: MarkdownWriter): void {
    if (this.#name === name) this.#depth += 1;
    else if (isOfKind && this.#name === undefined && !writer.isInLink) {
      this.#name = name;
      this.#depth = 1;
      this.#start = writer.place();
    }
  }

  close(name: string, writer: MarkdownWriter): void {
    if (this.#name === name && --this.#depth === 0) this.end(writer);
  }

  end(writer: MarkdownWriter): void {
    if (!this.#start) return;
    const span = { start: this.#start, end: writer.place() };
    if (!this.longest || length(span) > length(this.longest)) this.longest = span;
    this.#name = undefined;
    this.#start = undefined;
  }
}

/** The extracted text of a page. */
export interface PageMarkdown {
  readonly text: string;
  /** Only the main content; the rest of the page was left out. */
  readonly isMainPart: boolean;
}

export class MainPart implements HtmlHandler {
  readonly #writer: MarkdownWriter;
  readonly #mains = new Candidates();
  readonly #articles = new Candidates();
  #titleStart: Place | undefined;
  #title: Span | undefined;

  constructor(writer: MarkdownWriter) {
    this.#writer = writer;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#mains.open(name, name === "main" || attributes.get("role") === "main", this.#writer);
    this.#articles.open(name, name === "article", this.#writer);
    if (name === "h1") this.#titleStart ??= this.#writer.place();
    this.#writer.open(name, attributes);
  }

  close(name: string): void {
    this.#writer.close(name);
    this.#mains.close(name, this.#writer);
    this.#articles.close(name, this.#writer);
    if (name === "h1" && this.#titleStart) this.#title ??= { start: this.#titleStart, end: this.#writer.place() };
  }

  text(text: string): void {
    this.#writer.text(text);
  }

  markdown(): PageMarkdown {
    this.#writer.end();
    this.#mains.end(this.#writer);
    this.#articles.end(this.#writer);
    const whole = this.#writer.place().text;
    const span = [this.#mains.longest, this.#articles.longest].find((one) => one && 2 * length(one) > whole);
    if (!span) return { text: this.#writer.markdown(), isMainPart: false };
    const text = this.#writer.markdown(span.start, span.end);
    // Many pages have their title above the content.
    const title =
      this.#title && this.#title.end.part <= span.start.part && !/^# /m.test(text) ? this.#title : undefined;
    const heading = title ? `${this.#writer.markdown(title.start, title.end)}\n\n` : "";
    return { text: heading + text, isMainPart: true };
  }
}

const length = ({ start, end }: Span): number => end.text - start.text;
