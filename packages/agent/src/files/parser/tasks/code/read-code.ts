// Reads source files for the index: their definitions, references and imports. A file that is too large, binary or slow
// to parse is indexed without any.

import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Node, Query, QueryCapture } from "web-tree-sitter";
import { missingPackage } from "../../../../base/optional-package.ts";
import { grammarOf, Syntax } from "../../../edit/syntax.ts";
import { CannotParse, type TaskInput } from "../types.ts";
import { type CodeDefinition, type CodeFacts, LARGEST_INDEXED } from "./facts.ts";
import { GRAMMAR_QUERIES } from "./grammar-queries.ts";
import { importSpecifiers, packageAliases } from "./import-specifiers.ts";

type Library = typeof import("web-tree-sitter");

/** Applies to parsing and again to querying the tree. */
const LONGEST_MS = 1000;
const LONGEST_NAME = 200;
const LONGEST_SIGNATURE = 200;

const syntax = new Syntax(() => performance.now(), { textLength: LARGEST_INDEXED, milliseconds: LONGEST_MS });
/** By grammar. */
const queries = new Map<string, Query>();

/** Throws if the optional packages are missing, because every file would seem empty. */
export async function mustHaveGrammars(): Promise<void> {
  if (!(await syntax.withTree("a.ts", "", () => true)))
    throw new CannotParse(missingPackage("the code index", "web-tree-sitter", "@vscode/tree-sitter-wasm"));
}

/** Size and time of each path, or -1 twice if there is no file. */
export function statCode(input: TaskInput): Float64Array {
  const { root, paths } = input as TaskInput & { root: string; paths: readonly string[] };
  const stats = new Float64Array(paths.length * 2).fill(-1);
  for (const [at, path] of paths.entries()) {
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isFile()) stats.set([stat.size, stat.mtimeMs], at * 2);
  }
  return stats;
}

/** Leaves out files that no longer exist. */
export async function readCode(input: TaskInput): Promise<CodeFacts[]> {
  const { root, paths } = input as TaskInput & { root: string; paths: readonly string[] };
  const library = await import("web-tree-sitter");
  const facts: CodeFacts[] = [];
  for (const path of paths) {
    const file = join(root, path);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    const nothing = { path, size: stat.size, mtimeMs: stat.mtimeMs, ...NOTHING };
    facts.push(
      stat.size > LARGEST_INDEXED ? nothing : { ...nothing, ...(await factsIn(path, readFileSync(file), library)) },
    );
  }
  return facts;
}

/** The facts about a file that could not be parsed. */
const NOTHING = { definitions: [], references: [], imports: [], aliases: [] };

async function factsIn(path: string, bytes: Buffer, library: Library): Promise<Partial<CodeFacts>> {
  if (bytes.includes(0)) return {};
  const text = bytes.toString("utf8");
  if (path.endsWith("package.json")) return { aliases: packageAliases(path, text) };
  const grammar = grammarOf(path);
  const source = grammar === undefined ? undefined : GRAMMAR_QUERIES[grammar];
  if (grammar === undefined || source === undefined) return {};
  const found = await syntax.withTree(path, text, (root: Node) => {
    const query = queries.get(grammar) ?? new library.Query(root.tree.language, source);
    queries.set(grammar, query);
    const deadline = performance.now() + LONGEST_MS;
    // Very deep nesting would take minutes.
    const captures = query.captures(root, { progressCallback: () => performance.now() > deadline });
    return factsOf(captures, text, grammar);
  });
  return found ?? {};
}

function factsOf(captures: readonly QueryCapture[], text: string, grammar: string): Partial<CodeFacts> {
  const references = new Map<string, number[]>();
  const imports = new Map<string, boolean>();
  const definitions: FoundDefinition[] = [];
  for (const { name: kind, node } of captures) {
    if (kind.startsWith("_")) continue;
    const written = text.slice(node.startIndex, node.endIndex);
    const line = node.startPosition.row + 1;
    if (kind === "import" || kind === "reexport")
      for (const specifier of importSpecifiers(grammar, written)) imports.set(specifier, kind === "reexport");
    else if (written.length <= LONGEST_NAME && written !== "") {
      if (kind === "ref") addLine(references, written, line);
      else definitions.push({ name: written, kind, line, start: node.startIndex, ...extentOf(node) });
    }
  }
  return { definitions: placeDefinitions(definitions, text), references: [...references], imports: [...imports] };
}

function addLine(references: Map<string, number[]>, name: string, line: number): void {
  const lines = references.get(name);
  if (!lines) references.set(name, [line]);
  else if (lines.at(-1) !== line) lines.push(line);
}

interface FoundDefinition {
  readonly name: string;
  readonly kind: string;
  readonly line: number;
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

const extentOf = ({ parent, startIndex, endIndex }: QueryCapture["node"]) => ({
  from: parent?.startIndex ?? startIndex,
  to: parent?.endIndex ?? endIndex,
});

/** Sets the container of each definition. An `impl` is not a definition, but its content belongs to its type. */
function placeDefinitions(found: FoundDefinition[], text: string): CodeDefinition[] {
  const around: FoundDefinition[] = [];
  const placed: CodeDefinition[] = [];
  for (const one of found.sort((a, b) => a.from - b.from || b.to - a.to)) {
    while (around.length > 0 && around.at(-1)!.to <= one.from) around.pop();
    const outer = around.at(-1);
    around.push(one);
    if (one.kind === "impl") continue;
    placed.push({
      name: one.name,
      kind: kindOf(one.kind, outer?.kind),
      line: one.line,
      inside: outer?.name ?? "",
      signature: signatureAt(text, text.lastIndexOf("\n", one.start) + 1),
    });
  }
  return placed;
}

/** A function in a class is a method; a method of an object inside a function counts as a function. */
function kindOf(kind: string, outer: string | undefined): string {
  if (outer === undefined || (kind !== "function" && kind !== "method")) return kind;
  return /^(?:function|method|constant)$/.test(outer) ? "function" : "method";
}

/** From the start of the line to the start of the body: a list of parameters may span several lines. */
function signatureAt(text: string, start: number): string {
  let depth = 0;
  let end = start;
  for (; end < text.length && end - start < LONGEST_SIGNATURE * 2; end++) {
    const char = text[end] as string;
    if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (depth <= 0 && (char === "\n" || char === "{" || (char === "=" && text[end + 1] === ">"))) break;
  }
  const line = text.slice(start, end).replace(/\s+/g, " ").trim();
  return line
    .replace(/\( /g, "(")
    .replace(/,? \)/g, ")")
    .replace(/[\s:;=&|<(,]+$/, "")
    .slice(0, LONGEST_SIGNATURE);
}
