// The files that a glob stands for, as the shell would expand it: each of them is judged, not the pattern.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";

const MOST = 200;

/** Undefined when they cannot be told, or are too many to be looked at. A glob without a match stands for itself. */
export async function expandGlob(absolute: string, env: ExecutionEnvironment): Promise<readonly string[] | undefined> {
  const alternatives = expandBraces(absolute);
  const found: string[] = [];
  for (const path of alternatives ?? []) {
    const matches = await matchesOf(path.split("/").filter(Boolean), "/", env);
    found.push(...(matches.length > 0 ? matches : [path]));
    if (found.length > MOST) return undefined;
  }
  return alternatives && found;
}

/** `a{b,c}`; a sequence such as `{1..9}` is not told. */
function expandBraces(text: string): readonly string[] | undefined {
  const [all, inner = ""] = /\{([^{}]*)\}/.exec(text) ?? [];
  if (all === undefined) return /[{}]/.test(text) ? undefined : [text];
  if (!inner.includes(",")) return undefined;
  const texts = inner.split(",").map((one) => expandBraces(text.replace(all, () => one)));
  return texts.includes(undefined) || texts.length > MOST ? undefined : texts.flatMap((one) => one ?? []);
}

async function matchesOf(parts: readonly string[], folder: string, env: ExecutionEnvironment): Promise<string[]> {
  const [part, ...rest] = parts;
  if (part === undefined) return [folder];
  if (!/[*?[]/.test(part)) return matchesOf(rest, posix.join(folder, part), env);
  if ((await env.stat(folder))?.kind !== "directory") return [];
  const pattern = patternOf(part);
  const found: string[] = [];
  for (const { name } of await env.listDirectory(folder, 1)) {
    const plain = name.replace(/\/$/, "");
    if (plain.startsWith(".") && !part.startsWith(".")) continue;
    if (pattern.test(plain)) found.push(...(await matchesOf(rest, posix.join(folder, plain), env)));
    if (found.length > MOST) break;
  }
  return found;
}

/** At least the names that the shell's pattern matches: a class in brackets stands for any character. */
function patternOf(part: string): RegExp {
  const open = part.replace(/\[[^\]]*\]/g, "?");
  const escaped = open
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${escaped}$`, "s");
}
