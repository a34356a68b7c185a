// The bash grammar of tree-sitter: a second, independent reading of a command. Loaded when the first command comes up.

import { createRequire } from "node:module";
import type { Node, Parser } from "web-tree-sitter";

/** Where the grammar sees what runs and what is hidden. Offsets into the text. */
export interface GrammarReading {
  /** It found something that it cannot place. */
  readonly hasError: boolean;
  /** Beginnings of simple commands, tests and arithmetic commands. */
  readonly commands: readonly number[];
  readonly substitutions: readonly number[];
  readonly comments: readonly number[];
  /** Beginnings and ends of everything. */
  readonly starts: ReadonlySet<number>;
  readonly ends: ReadonlySet<number>;
}

// The grammar never changes while we run, so every session may share it.
let loading: Promise<Parser> | undefined;

async function load(): Promise<Parser> {
  const { Language, Parser } = await import("web-tree-sitter");
  await Parser.init();
  const file = createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm");
  const parser = new Parser();
  parser.setLanguage(await Language.load(file));
  return parser;
}

/** Rejects when the grammar is not installed. */
export async function loadGrammar(): Promise<(text: string) => GrammarReading> {
  loading ??= load();
  const parser = await loading;
  return (text) => readTree(parser, text);
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
    // A chain of a thousand `&&` is a tree of that depth: no recursion.
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
