// Code as coloured spans, line by line. A line's colours depend only on the lines before it, so lines already shown
// never change.

import type { Span } from "../rows/row.ts";
import { isLoading, languageOf, loadedFor, loadLanguage } from "./languages.ts";
import type { LineEmitter } from "./line-emitter.ts";
import { PLAIN_CODE } from "./token-styles.ts";

/**
 * The grammar can only start at its beginning, so the lines of a construct that is still open (a comment, a template
 * string, a script in a page) are read again with each new line. Of a long construct, only its first line and its last
 * lines are kept.
 */
const OPEN_LINES = 48;
const KEPT_LINES = 24;
/** Longer lines are data, not code. */
const LINE_LIMIT = 2_000;
/**
 * Most characters to highlight in one piece of code, counting those read again and a share for each restart. Users do
 * not read the colours of anything longer, and it would delay keys.
 */
const WORK_LIMIT = 500_000;
const LINE_WORK = 200;

export class CodeHighlighter {
  readonly #language: string | undefined;
  #open: readonly string[];
  #work: number;

  /** `word` is the word after the fence, or a file extension. The language starts loading here. */
  constructor(word: string, open: readonly string[] = [], work = 0) {
    this.#language = languageOf(word);
    this.#open = open;
    this.#work = work;
    if (this.#language !== undefined && loadedFor(this.#language) === undefined) void loadLanguage(this.#language);
  }

  /** Whether the language is still loading. */
  get isPending(): boolean {
    return this.#language !== undefined && isLoading(this.#language);
  }

  fork(): CodeHighlighter {
    return new CodeHighlighter(this.#language ?? "", this.#open, this.#work);
  }

  next(line: string): readonly Span[] {
    const language = this.#language;
    const hljs = language === undefined ? undefined : loadedFor(language);
    if (language === undefined || hljs === undefined || line.length > LINE_LIMIT) return plainLine(line);
    if (this.#work > WORK_LIMIT) return plainLine(line);
    if (line.trim() === "" && this.#open.length === 0) return plainLine(line);
    const lines = [...this.#open, line];
    const code = lines.join("\n");
    this.#work += code.length + LINE_WORK;
    const { _emitter, _top, errorRaised } = hljs.highlight(code, { language, ignoreIllegals: true });
    // At its root the grammar has no state, so the next line can be read by itself.
    const isClosed = _top === hljs.getLanguage(language);
    this.#open = isClosed ? [] : lines.length < OPEN_LINES ? lines : [lines[0] as string, ...lines.slice(-KEPT_LINES)];
    return errorRaised === undefined ? (_emitter as LineEmitter).spans : plainLine(line);
  }
}

/** Highlights complete code; returns the spans of each line. */
export function highlight(code: string, word: string): readonly (readonly Span[])[] {
  const highlighter = new CodeHighlighter(word);
  return code.split("\n").map((line) => highlighter.next(line));
}

const plainLine = (text: string): readonly Span[] => (text === "" ? [] : [{ text, style: PLAIN_CODE }]);
