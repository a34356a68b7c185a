// Reading and changing code by its parse.
import { parseSync, visitorKeys } from "oxc-parser";

/** The syntax tree and the module record of a source; throws what the parser says of code that is wrong. */
export function parseCode(path, code) {
  const { program, module, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return { program, module };
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
