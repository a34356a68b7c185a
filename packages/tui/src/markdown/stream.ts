// Markdown that arrives in pieces, as rows. What can no longer change is given out once; only the rest is rendered again. How the
// text was cut into pieces makes no difference: blocks are found in whole lines, and the unfinished line is only ever previewed. The one
// exception are links by name whose address comes later: text that was given out before keeps the name.

import type { RenderContext } from "../component.ts";
import type { CodeHighlighter } from "../highlight/highlight.ts";
import { languageOf, loadLanguage } from "../highlight/languages.ts";
import type { Row } from "../rows/row.ts";
import { visible } from "../rows/visible.ts";
import { SYMBOL_SETS } from "../theme/symbol-sets.ts";
import { Blocks } from "./blocks.ts";
import { referenceName } from "./inline.ts";
import type { Part, View } from "./part.ts";
import { previewOf } from "./preview.ts";

type Surface = Pick<RenderContext, "columns" | "symbols" | "links">;

const DEFINITION = /^ {0,3}\[([^\]^][^\]]*)\]:\s+<?([^\s>]+)>?(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*$/;

/** A line longer than this is cut at a blank: no one reads it as one, and each frame would cost more. */
const LINE_LIMIT = 8_000;
/** Parts that wait for colours are rendered again with each frame. */
const MOST_WAITING = 100;

export class MarkdownStream {
  readonly #blocks = new Blocks();
  /** The line that has not ended, in the pieces it came in. */
  #partial = "";
  #isEnded = false;
  /** What `[text][name]` leads to. In text that is given out before its definition, it stays as it is written. */
  readonly #references = new Map<string, string>();
  #rendered: (Surface & { readonly rows: readonly Row[] }) | undefined;

  add(delta: string): void {
    if (delta === "") return;
    this.#rendered = undefined;
    let start = 0;
    for (let end = delta.indexOf("\n"); end >= 0; end = delta.indexOf("\n", start)) {
      this.#line(this.#partial + delta.slice(start, end));
      this.#partial = "";
      start = end + 1;
    }
    this.#partial += delta.slice(start);
    while (this.#partial.length > LINE_LIMIT) {
      const blank = this.#partial.lastIndexOf(" ", LINE_LIMIT);
      const cut = blank > LINE_LIMIT / 2 ? blank : LINE_LIMIT;
      this.#line(this.#partial.slice(0, cut));
      this.#partial = this.#partial.slice(cut);
    }
  }

  /** The text is complete: all of it is finished now. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#rendered = undefined;
    if (this.#partial !== "") this.#line(this.#partial);
    this.#partial = "";
    this.#blocks.end();
  }

  /** Rows that can no longer change, each given out once. Code waits a moment for the colours of its language, a screenful of it. */
  takeFinished(context: Surface): readonly Row[] {
    const { parts } = this.#blocks;
    const waiting = this.#isEnded || parts.length > MOST_WAITING ? -1 : parts.findIndex(({ isPending }) => isPending);
    const ready = parts.splice(0, waiting < 0 ? parts.length : waiting);
    if (ready.length === 0) return [];
    this.#rendered = undefined;
    const view = this.#view(context, (own) => own);
    return ready.flatMap((part) => part.rows(view));
  }

  /** The rows below those that `finished` has given out. */
  render(context: Surface): readonly Row[] {
    const known = this.#rendered;
    const { columns, symbols, links } = context;
    if (known?.columns === columns && known.symbols === symbols && known.links === links) return known.rows;
    const copies = new Map<CodeHighlighter, CodeHighlighter>();
    const view = this.#view(context, (own) => {
      const copy = copies.get(own) ?? own.fork();
      copies.set(own, copy);
      return copy;
    });
    const rows = [...this.#blocks.parts, ...this.#preview()].flatMap((part) => part.rows(view));
    // Colours may come with the next frame: such rows are not kept.
    this.#rendered = this.#blocks.parts.some(({ isPending }) => isPending)
      ? undefined
      : { rows, columns, symbols, links };
    return rows;
  }

  #preview(): readonly Part[] {
    if (this.#isEnded) return [];
    const trial = this.#blocks.fork();
    const partial = previewOf(this.#partial, trial.isVerbatim);
    if (partial !== "" && !trial.isTable) trial.line(visible(partial));
    trial.end();
    return trial.parts;
  }

  #line(text: string): void {
    const line = visible(text.endsWith("\r") ? text.slice(0, -1) : text);
    const [, name, address] = (!this.#blocks.isVerbatim && DEFINITION.exec(line)) || [];
    // As in markdown, the first of two takes effect.
    if (name !== undefined && address !== undefined && !this.#references.has(referenceName(name)))
      this.#references.set(referenceName(name), address);
    this.#blocks.line(line);
  }

  /** Where the terminal makes no links of addresses, they are written out. */
  #view({ columns, symbols, links = true }: Surface, code: View["code"]): View {
    return { columns, symbols, links, references: this.#references, code };
  }
}

const FENCE = /^[ >]*(?:`{3,}|~{3,}) *([\w+#-]+)/gm;

/** Settles when the languages of the code in a text are loaded, so that `renderMarkdown` can colour it. */
export async function prepareMarkdown(text: string): Promise<void> {
  const words = new Set([...text.matchAll(FENCE)].map(([, word = ""]) => languageOf(word)));
  await Promise.all([...words].map((language) => language && loadLanguage(language)));
}

/** Whole texts. Languages that are not loaded yet are plain: see `prepareMarkdown`. */
export function renderMarkdown(
  text: string,
  columns: number,
  { symbols = SYMBOL_SETS.unicode, links = true }: Partial<Pick<RenderContext, "symbols" | "links">> = {},
): readonly Row[] {
  const stream = new MarkdownStream();
  stream.add(text);
  stream.end();
  return stream.takeFinished({ columns, symbols, links });
}
