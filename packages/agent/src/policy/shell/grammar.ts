// The bash grammar of tree-sitter: a second, independent parse of a command. Loaded for the first command.

import { createRequire } from "node:module";
import type { Node, Parser } from "web-tree-sitter";
import { loadTreeSitter } from "../../base/tree-sitter.ts";

/** Where the grammar finds commands and hidden content, as offsets into the text. */
export interface GrammarReading {
  /** The grammar reported a syntax error. */
  readonly hasError: boolean;
  /** Start offsets of simple commands, tests and arithmetic commands. */
  readonly commands: readonly number[];
  readonly substitutions: readonly number[];
  readonly comments: readonly number[];
  /** Start and end offsets of all nodes. */
  readonly starts: ReadonlySet<number>;
  readonly ends: ReadonlySet<number>;
}

// The grammar never changes while we run, so all sessions share it.
let loading: Promise<Parser> | undefined;

async function load(): Promise<Parser> {
  const { Language, Parser } = await loadTreeSitter();
  const file = createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm");
  const parser = new Parser();
  parser.setLanguage(await Language.load(file));
  return parser;
}

/** Rejects if the grammar is not installed. */
export async function loadGrammar(): Promise<(text: string) => GrammarReading> {
  loading ??= load();
  try {
    const parser = await loading;
    return (text) => readTree(parser, text);
  } catch (error) {
    // Otherwise every command of the process would be asked about.
    loading = undefined;
    throw error;
  }
}

const COMMANDS = new Set(["command_name", "declaration_command", "unset_command", "test_command"]);
const SUBSTITUTIONS = new Set(["command_substitution", "process_substitution"]);

function readTree(parser: Parser, text: string): GrammarReading {
  const tree = parser.parse(text);
  const reading = {
    hasError: tree === null || tree.rootNode.hasError,
    commands: [] as number[],
    substitutions: [] as number[],
    comments: [] as number[],
    starts: new Set<number>(),
    ends: new Set<number>(),
  };
  const note = (node: Node): void => {
    const { type, startIndex } = node;
    reading.starts.add(startIndex);
    reading.ends.add(node.endIndex);
    if (COMMANDS.has(type)) reading.commands.push(startIndex);
    else if (SUBSTITUTIONS.has(type)) reading.substitutions.push(startIndex);
    else if (type === "comment") reading.comments.push(startIndex);
  };
  try {
    // A chain of a thousand `&&` is a tree of that depth, so we do not recurse.
    const open: Node[] = tree && !reading.hasError ? [tree.rootNode] : [];
    for (let node = open.pop(); node; node = open.pop()) {
      note(node);
      for (const child of node.children) if (child) open.push(child);
    }
    return reading;
  } finally {
    tree?.delete();
  }
}
