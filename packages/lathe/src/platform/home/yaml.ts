// Reads a user's YAML file: returns its value, or what is wrong with it and on which line. A value that begins with
// YAML syntax (`*sonnet*`, `!command`) is treated as a mistake: it should have been quoted.

import { type Document, LineCounter, type Node, parseDocument, visit } from "yaml";

export interface ReadYaml {
  readonly document: Document;
  readonly value: unknown;
  /** Line of a node; undefined for a node that is not in the text. */
  readonly lineAt: (node: unknown) => number | undefined;
}

export interface YamlProblem {
  readonly line: number;
  readonly message: string;
}

export function readYaml(text: string): ReadYaml | YamlProblem {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const lineAt = (node: unknown): number | undefined => {
    const range = (node as Node | undefined | null)?.range;
    return range ? counter.linePos(range[0]).line : undefined;
  };
  const [broken] = document.errors;
  if (broken) {
    const what =
      broken.code === "MULTIPLE_DOCS"
        ? "only one document is allowed, and --- begins a second"
        : (broken.message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:$/, "");
    return { line: broken.linePos?.[0].line ?? 1, message: `not valid YAML: ${what}` };
  }
  const unquoted = unquotedSign(document, text);
  if (unquoted) {
    const [from, to] = unquoted;
    return {
      line: counter.linePos(from).line,
      message: `not valid YAML: write "${text.slice(from, to).trim()}" in quotes`,
    };
  }
  try {
    return { document, value: document.toJS() as unknown, lineAt };
  } catch (error) {
    return { line: 1, message: `not valid YAML: ${(error as Error).message}` };
  }
}

export const isProblem = (read: ReadYaml | YamlProblem): read is YamlProblem => "message" in read;

/** Position of the first value that begins with YAML syntax: an undefined alias or an unknown tag. */
function unquotedSign(document: Document, text: string): readonly [number, number] | undefined {
  let found: readonly [number, number] | undefined;
  visit(document, {
    Alias: (_key, node) => {
      const { range } = node;
      if (!range || node.resolve(document) !== undefined) return undefined;
      found = [range[0], range[1]];
      return visit.BREAK;
    },
    Scalar: (_key, { tag, range }) => {
      if (!range || !tag?.startsWith("!")) return undefined;
      found = [text.lastIndexOf(tag, range[0]), range[1]];
      return visit.BREAK;
    },
  });
  return found;
}
