// Expands a glob to files as the shell would, so that each file is judged instead of the pattern.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";

const MOST = 1000;
/** A brace without another one inside. */
const BRACE = /\{([^{}]*)\}/;

/**
 * Undefined if the files cannot be determined or are too many to examine. Always includes the glob itself, because a
 * glob without a match stays as it is.
 */
export async function expandGlob(absolute: string, env: ExecutionEnvironment): Promise<readonly string[] | undefined> {
  const alternatives = expandBraces(absolute);
  const found: string[] = [];
  for (const path of alternatives ?? []) {
    found.push(path, ...(/[*?[]/.test(path) ? await matchesOf(path.split("/").filter(Boolean), "/", env) : []));
    if (found.length > MOST) return undefined;
  }
  return alternatives && found;
}

/**
 * Expands `a{b,c}`. Undefined for a sequence such as `{1..9}`, or if there are too many results: each brace may double
 * them.
 */
function expandBraces(text: string): readonly string[] | undefined {
  let texts: readonly string[] = [text];
  // All texts still contain the same braces.
  while (/[{}]/.test(texts[0]!)) {
    const count = BRACE.exec(texts[0]!)?.[1]?.split(",").length ?? 0;
    if (count < 2 || count * texts.length > MOST) return undefined;
    texts = texts.flatMap((one) => {
      const [all = "", inner = ""] = BRACE.exec(one) ?? [];
      return inner.split(",").map((each) => one.replace(all, () => each));
    });
  }
  return texts;
}

async function matchesOf(parts: readonly string[], folder: string, env: ExecutionEnvironment): Promise<string[]> {
  const [part, ...rest] = parts;
  if (part === undefined) return [folder];
  if (!/[*?[]/.test(part)) return matchesOf(rest, posix.join(folder, part), env);
  if ((await env.stat(folder))?.kind !== "directory") return [];
  const found: string[] = [];
  for (const { name } of await env.listDirectory(folder, 1)) {
    const plain = name.replace(/\/$/, "");
    if (plain.startsWith(".") && !part.startsWith(".")) continue;
    if (matchesName(part, plain)) found.push(...(await matchesOf(rest, posix.join(folder, plain), env)));
    if (found.length > MOST) break;
  }
  return found;
}

/**
 * True at least for the names that the shell's pattern matches: single characters and bracket classes depend on the
 * locale. Each piece between two stars matches at its first occurrence; a regular expression would try all
 * combinations.
 */
function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...pieces] = pattern.replace(/\[.*$/s, "*").split(/[*?]+/);
  const last = pieces.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
