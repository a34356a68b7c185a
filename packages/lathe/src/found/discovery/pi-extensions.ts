// Extensions written for pi: how to recognize them, and what in their text cannot work here.

import { EXTENSION_EVENTS } from "../../platform/extension-api/event-names.ts";

const OWN_IMPORT = /["'](?:lathe\/extension|@lathe\/[\w/-]+)["']/;
const PI_IMPORT = /["']@?[\w-]*\/?pi-(?:coding-agent|agent-core|agent|ai|tui)(?:\/[\w/-]+)?["']/;
/** Our own type is spelled `ExtensionApi`. */
const PI_WORDS = /\bExtensionAPI\b|\bpi\s*\.\s*(?:on|registerTool|registerCommand)\s*\(/;
/** A comparison with the name of one of pi's tools that none of our tools has by default. */
const PI_TOOLS = /\btoolName\s*[!=]==?\s*["'](?:bash|read|edit|write|find|ls)["']/;
const OWN_TOOLS = /["'](?:shell|read_file|edit_file|write_file|apply_patch|list_dir)["']/;

/** Whether handlers in this text expect pi's names for tools and arguments. */
export function isWrittenForPi(text: string): boolean {
  if (OWN_IMPORT.test(text)) return false;
  return PI_IMPORT.test(text) || PI_WORDS.test(text) || (PI_TOOLS.test(text) && !OWN_TOOLS.test(text));
}

/** Undefined if nothing in the text shows that it cannot work. */
export function piProblem(text: string): string | undefined {
  if (!isWrittenForPi(text)) return undefined;
  const events = [...text.matchAll(/\.\s*on\s*\(\s*["']([\w.]+)["']/g)].map(([, name = ""]) => name);
  const unknown = [...new Set(events)].filter((name) => !Object.hasOwn(EXTENSION_EVENTS, name));
  if (unknown.length === 0) return undefined;
  return `it was written for pi and waits for ${unknown.join(", ")}, which ${unknown.length === 1 ? "does" : "do"} not happen here`;
}
