// Inserts what a pattern has captured into the replacement of a match.

import type { SgNode } from "@ast-grep/napi";

const VARIABLE = /(\$\$\$|\$\$?)([A-Z][A-Z0-9_]*)/g;

/** Names that `out` uses but the pattern does not capture. */
export function uncapturedNames(pattern: string, out: string): string[] {
  const names = (text: string) => [...text.matchAll(VARIABLE)].map(([, dollars, name]) => `${dollars}${name}`);
  const captured = new Set(names(pattern));
  return names(out).filter((name) => !captured.has(name));
}

/**
 * `text`: of the whole file. Lines of `out` are indented like the match, and captured lines like the line into which
 * they are inserted.
 */
export function fillTemplate(out: string, match: SgNode, text: string): string {
  const indent = indentAt(text, match.range().start.index);
  return out
    .split("\n")
    .map((line, index) => {
      const own = index === 0 ? indent : indent + (/^[ \t]*/.exec(line)?.[0] ?? "");
      const filled = line.replace(VARIABLE, (_, dollars: string, name: string) => {
        const nodes = dollars === "$$$" ? match.getMultipleMatches(name) : [match.getMatch(name)];
        const [first, last] = [nodes[0], nodes.at(-1)];
        if (!first || !last) return "";
        const { index: start } = first.range().start;
        return indentLines(text.slice(start, last.range().end.index), indentAt(text, start), own);
      });
      return index === 0 || filled === "" ? filled : indent + filled;
    })
    .join("\n");
}

function indentLines(captured: string, from: string, to: string): string {
  if (from === to || !captured.includes("\n")) return captured;
  const [first, ...rest] = captured.split("\n");
  return [first, ...rest.map((line) => (line.startsWith(from) ? to + line.slice(from.length) : line))].join("\n");
}

function indentAt(text: string, index: number): string {
  const start = text.lastIndexOf("\n", index - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, index))?.[0] ?? "";
}
