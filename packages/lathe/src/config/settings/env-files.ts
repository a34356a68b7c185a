// The .env chain: the process environment wins, then the project's .env (only in a trusted folder), then the user's. A
// variable that is already set is never overridden.

import { readIfReadable } from "../../platform/home/small-file.ts";

export interface EnvFileOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project's file, if it takes effect. */
  readonly project: string | undefined;
  readonly latheHome: string;
  readonly userHome: string;
}

export function envWithFiles(options: EnvFileOptions): Record<string, string | undefined> {
  const files = [
    ...(options.project === undefined ? [] : [options.project]),
    `${options.latheHome}/.env`,
    `${options.userHome}/.env`,
  ];
  const merged: Record<string, string | undefined> = { ...options.env };
  for (const file of files) {
    const text = readIfReadable(file);
    if (text === undefined) continue;
    for (const [name, value] of parseEnv(text)) merged[name] ??= value;
  }
  return merged;
}

/** A quoted value may span several lines, as PEM keys do; after it the last line may only hold a comment. */
const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(?:("(?:\\[\s\S]|[^"\\])*"|'[^']*')[ \t]*(?:#.*)?|(.*))$/gm;

/** Within one file the last line for a name wins, as in a shell. */
function parseEnv(text: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of text.replace(/^\uFEFF|\r(?=\n)/g, "").matchAll(LINE))
    pairs.set(name, quoted === undefined ? plain.replace(/(^|\s+)#.*$/, "").trim() : unquote(quoted));
  return pairs;
}

function unquote(value: string): string {
  const inner = value.slice(1, -1);
  return value.startsWith("'")
    ? inner
    : inner.replace(/\\([\s\S])/g, (_, char: string) => (char === "n" ? "\n" : char));
}
