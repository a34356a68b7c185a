// Parse trees for a warning after an edit and for block operations. A grammar is loaded for the first file of its
// language. The host owns the object, so sessions share nothing unless it passes the same one.

import { createRequire } from "node:module";
import type { Language, Node, Parser, Tree } from "web-tree-sitter";
import { missingPackage } from "../../base/optional-package.ts";
import { loadTreeSitter } from "../../base/tree-sitter.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly syntax?: Syntax;
  }
}

/** Grammars by file extension. */
export const grammars: Readonly<Record<string, string>> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "tsx",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  py: "python",
  pyi: "python",
  rs: "rust",
  go: "go",
  java: "java",
  rb: "ruby",
  php: "php",
  sh: "bash",
  bash: "bash",
  c: "cpp",
  h: "cpp",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  cs: "c-sharp",
  css: "css",
};

/** Limits above which texts are not parsed. */
export interface SyntaxLimits {
  /** Longer texts are not parsed. */
  readonly textLength: number;
  readonly milliseconds: number;
}

/** The lines of a block of code. */
export interface SyntaxBlock {
  /** 0-based, `end` exclusive. */
  readonly start: number;
  readonly end: number;
}

const defaults: SyntaxLimits = { textLength: 400_000, milliseconds: 250 };

/** Parses source files, to warn about an edit that breaks one and to find blocks. */
export class Syntax {
  readonly #now: () => number;
  readonly #limits: SyntaxLimits;
  readonly #languages = new Map<string, Promise<Language>>();

  constructor(now: () => number, limits: Partial<SyntaxLimits> = {}) {
    this.#now = now;
    this.#limits = { ...defaults, ...limits };
  }

  supports(path: string): boolean {
    return grammarOf(path) !== undefined;
  }

  /**
   * 1-based line of a parse error in `after` that `before` did not have; undefined if there is none or this cannot be
   * determined.
   */
  async newError(path: string, before: string, after: string): Promise<number | undefined> {
    const now = await this.withTree(path, after, errorLines);
    if (!now || now.length === 0) return undefined;
    const earlier = before === "" ? [] : await this.withTree(path, before, errorLines);
    if (!earlier || earlier.length >= now.length) return undefined;
    // Earlier errors can at most have moved; the first one whose line has no equal in the old text is new.
    const [oldLines, newLines] = [before.split("\n"), after.split("\n")];
    const known = new Set(earlier.map((line) => oldLines[line]?.trim()));
    const found = now.find((line) => !known.has(newLines[line]?.trim())) ?? (now[0] as number);
    // A parser may report an error far above its cause (an unclosed quote: from the top); what the edit broke is not
    // above the edit.
    const untouched = newLines.findIndex((line, index) => line !== oldLines[index]);
    return Math.max(found, untouched) + 1;
  }

  /** The construct that begins on the 0-based `line`, or the reason why there is none. */
  async blockAt(path: string, text: string, line: number): Promise<SyntaxBlock | string> {
    if (!this.supports(path)) return "no grammar for this kind of file";
    if (text.length > this.#limits.textLength) return "the file is too large to parse";
    const block = await this.withTree(path, text, (root) => findBlock(root, text, line));
    if (block) return block;
    return (await this.#grammar(grammarOf(path) as string))
      ? "the file could not be parsed in time"
      : missingPackage("blocks", "web-tree-sitter", "@vscode/tree-sitter-wasm");
  }

  /**
   * Lines that can be hidden in an outline: the bodies of functions and methods, without their first and last lines. In
   * order and not nested; undefined if the text cannot be parsed.
   */
  async bodies(path: string, text: string): Promise<readonly SyntaxBlock[] | undefined> {
    return this.withTree(path, text, findBodies);
  }

  /**
   * Returns the result of `use` on the tree, a Node of web-tree-sitter; undefined if there is none. The tree is freed
   * afterwards. That library's types stay out of our declarations, because they need browser types.
   */
  async withTree<T>(path: string, text: string, use: (root: never) => T): Promise<T | undefined> {
    const name = grammarOf(path);
    if (!name || text.length > this.#limits.textLength) return undefined;
    const loaded = await this.#grammar(name);
    if (!loaded) return undefined;
    const { Parser, language } = loaded;
    const parser = new Parser();
    let tree: Tree | null = null;
    try {
      parser.setLanguage(language);
      tree = this.#parse(parser, text);
      return tree ? use(tree.rootNode as never) : undefined;
    } finally {
      tree?.delete();
      parser.delete();
    }
  }

  /** Undefined if the optional parser is not installed: an edit never fails because the parser is missing. */
  async #grammar(name: string): Promise<{ Parser: typeof Parser; language: Language } | undefined> {
    try {
      const { Parser } = await loadTreeSitter();
      return { Parser, language: await this.#language(name) };
    } catch {
      return undefined;
    }
  }

  #parse(parser: Parser, text: string): Tree | null {
    const deadline = this.#now() + this.#limits.milliseconds;
    // Returning true cancels the parse, although the published type says void.
    const late = (() => this.#now() > deadline) as () => void;
    return parser.parse(text, null, { progressCallback: late });
  }

  async #language(name: string): Promise<Language> {
    const known = this.#languages.get(name);
    if (known) return known;
    const file = createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`);
    const loading = loadTreeSitter().then((library) => library.Language.load(file));
    this.#languages.set(name, loading);
    return loading;
  }
}

/** The grammar for a file of this name. */
export function grammarOf(path: string): string | undefined {
  const dot = path.lastIndexOf(".");
  const extension = path.slice(dot + 1).toLowerCase();
  return dot > path.lastIndexOf("/") && Object.hasOwn(grammars, extension) ? grammars[extension] : undefined;
}

/** 0-based lines of error and missing nodes, at most one per line. */
function errorLines(root: Node): number[] {
  if (!root.hasError) return [];
  const found = new Set<number>();
  const walk = (node: Node): void => {
    if (node.isMissing || node.isError) {
      found.add(node.startPosition.row);
      return;
    }
    for (const child of node.children) if (child && (child.hasError || child.isMissing)) walk(child);
  };
  walk(root);
  return [...found].sort((a, b) => a - b);
}

const bodies = new Set([
  "statement_block",
  "function_body",
  "compound_statement",
  "block",
  "body_statement",
  "constructor_body",
]);
const functions = /function|method|constructor|lambda|arrow|accessor|getter|setter|func_literal|impl_item|do_block/;

function findBodies(root: Node): SyntaxBlock[] {
  const found: SyntaxBlock[] = [];
  const walk = (node: Node): void => {
    for (const child of node.namedChildren) {
      if (!child) continue;
      const isBody = bodies.has(child.type) && functions.test(node.type) && !/impl_item/.test(node.type);
      if (!isBody) {
        walk(child);
        continue;
      }
      const brace = child.text.startsWith("{");
      // Lines with an opening or closing brace stay visible; a body without braces begins on its own line.
      const start = child.startPosition.row + (brace || child.startPosition.row === node.startPosition.row ? 1 : 0);
      const end = brace ? child.endPosition.row : child.endPosition.row + (child.endPosition.column === 0 ? 0 : 1);
      if (end > start) found.push({ start, end });
    }
  };
  walk(root);
  return found;
}

const sequences = new Set([
  "program",
  "module",
  "source_file",
  "translation_unit",
  "compilation_unit",
  "stylesheet",
  "block",
  "statement_block",
  "statement_list",
  "declaration_list",
  "body_statement",
]);

function findBlock(root: Node, text: string, line: number): SyntaxBlock | string {
  const content = text.split("\n")[line] ?? "";
  const column = content.length - content.trimStart().length;
  if (content.trim() === "") return "the line is blank";
  if (/^[\])}>;,]/.test(content.trim()) || /^(?:end|fi|done|esac)\b/.test(content.trim()))
    return "the line closes a block";
  let node: Node | null = root.descendantForPosition({ row: line, column });
  // The widest node that begins exactly here, but not the sequence of statements that contains it.
  while (node?.parent && !sequences.has(node.parent.type)) {
    const { row, column: at } = node.parent.startPosition;
    if (row !== line || at < column) break;
    node = node.parent;
  }
  if (!node || node.id === root.id || node.startPosition.row !== line) return "no construct begins on this line";
  if (node.hasError) return "the construct has a syntax error";
  const last = node.endPosition.column === 0 ? node.endPosition.row - 1 : node.endPosition.row;
  return { start: line, end: last + 1 };
}
