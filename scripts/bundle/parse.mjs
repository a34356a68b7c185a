// Parses code and edits it at positions of the parse.
import { parseSync, visitorKeys } from "oxc-parser";

/**
 * The syntax tree (`program`) and the module record (`module`) of a source; throws the parser's errors. The parser
 * creates each of the two on first access, and the tree is the expensive one.
 */
export function parseCode(path, code) {
  const parsed = parseSync(path, code);
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors[0].message}`);
  return parsed;
}

/** Calls `visit` with every node below this one and its parent. */
export function walk(node, visit, parent) {
  visit(node, parent);
  for (const key of visitorKeys[node.type] ?? [])
    for (const child of [node[key]].flat()) if (child) walk(child, visit, node);
}

/** The code with each `{ start, end, text }` replaced. */
export function applyEdits(code, edits) {
  let changed = "";
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    changed += code.slice(at, start) + text;
    at = end;
  }
  return changed + code.slice(at);
}
