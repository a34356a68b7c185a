// The files that a glob stands for, as the shell would expand it: each of them is judged, not the pattern.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";

const MOST = 1000;
/** One with no other inside. */
const BRACE = /\{([^{}]*)\}/;

/** Undefined when they cannot be told, or are too many to be looked at. A glob without a match stands for itself: it is always among them. */
export async function expandGlob(absolute: string, env: ExecutionEnvironment): Promise<readonly string[] | undefined> {
  const alternatives = expandBraces(absolute);
  const found: string[] = [];
  for (const path of alternatives ?? []) {
    found.push(path, ...(/[*?[]/.test(path) ? await matchesOf(path.split("/").filter(Boolean), "/", env) : []));
    if (found.length > MOST) return undefined;
  }
  return alternatives && found;
}

/** `a{b,c}`; a sequence such as `{1..9}` is not told, nor more than can be looked at: each brace may double them. */
function expandBraces(text: string): readonly string[] | undefined {
  let texts: readonly string[] = [text];
  // The same braces are left in all of them.
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
 * True at least for the names that the shell's pattern matches: what one character or a class in brackets stands for depends on the
 * language and on classes inside the class. Each piece between two stars is taken where it is first found; a regular expression
 * would try all places of all pieces.
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
