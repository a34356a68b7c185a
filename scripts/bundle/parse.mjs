// Reading and changing code by its parse.
import { parseSync, visitorKeys } from "oxc-parser";

/**
 * The syntax tree (`program`) and the module record (`module`) of a source; throws what the parser says of code that is wrong. The parser makes
 * each of the two when it is first asked for, and the tree is what costs.
 */
export function parseCode(path, code) {
  const parsed = parseSync(path, code);
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors[0].message}`);
  return parsed;
}

/** Calls `visit` with every node below this one and with the node that holds it. */
export function walk(node, visit, parent) {
  visit(node, parent);
  for (const key of visitorKeys[node.type] ?? [])
    for (const child of [node[key]].flat()) if (child) walk(child, visit, node);
}

/** The code with each `{ start, end, text }` in the place of what stood there. */
export function applyEdits(code, edits) {
  let changed = "";
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    changed += code.slice(at, start) + text;
    at = end;
  }
  return changed + code.slice(at);
}
