// Markdown that arrives in pieces, as rows. What can no longer change is returned once; only the rest is rendered
// again. The pieces make no difference: blocks are found in complete lines, and the unfinished line is only previewed.
// The one exception are reference links whose address comes later: text returned before keeps the name.

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

/** Longer lines are cut at a space: nobody reads them as one line, and each frame would cost more. */
const LINE_LIMIT = 8_000;
/** Parts that wait for colours are rendered again in each frame. */
const MOST_WAITING = 100;

export class MarkdownStream {
  readonly #blocks = new Blocks();
  /** The pieces of the unfinished line. */
  #partial = "";
  #isEnded = false;
  /** Addresses of `[text][name]`. Text returned before a definition shows the link as written. */
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

  /** Marks the text as complete. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#rendered = undefined;
    if (this.#partial !== "") this.#line(this.#partial);
    this.#partial = "";
    this.#blocks.end();
  }

  /**
   * Rows that can no longer change, each returned once. Up to a screenful of code waits a moment for its language's
   * colours.
   */
  takeFinished(context: Surface): readonly Row[] {
    const { parts } = this.#blocks;
    const waiting = this.#isEnded || parts.length > MOST_WAITING ? -1 : parts.findIndex(({ isPending }) => isPending);
    const ready = parts.splice(0, waiting < 0 ? parts.length : waiting);
    if (ready.length === 0) return [];
    this.#rendered = undefined;
    const view = this.#view(context, (own) => own);
    return ready.flatMap((part) => part.rows(view));
  }

  /** The rows below those that `takeFinished` has returned. */
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
    // Colours may arrive before the next frame, so such rows are not cached.
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
    // The first of two definitions takes effect, as in markdown.
    if (name !== undefined && address !== undefined && !this.#references.has(referenceName(name)))
      this.#references.set(referenceName(name), address);
    this.#blocks.line(line);
  }

  /** Addresses are written out if the terminal does not support links. */
  #view({ columns, symbols, links = true }: Surface, code: View["code"]): View {
    return { columns, symbols, links, references: this.#references, code };
  }
}

const FENCE = /^[ >]*(?:`{3,}|~{3,}) *([\w+#-]+)/gm;

/** Resolves when the languages of a text's code are loaded, so that `renderMarkdown` can colour it. */
export async function prepareMarkdown(text: string): Promise<void> {
  const words = new Set([...text.matchAll(FENCE)].map(([, word = ""]) => languageOf(word)));
  await Promise.all([...words].map((language) => language && loadLanguage(language)));
}

/** Renders a complete text. Code in languages that are not loaded is plain: see `prepareMarkdown`. */
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
