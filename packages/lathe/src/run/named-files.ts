// Which files a write call would change: its path argument, or the headers of the edit language inside it, read as that
// language's own parser reads them.

import { type ExecutionEnvironment, realPathOf } from "@lathe/agent";
import type { JsonObject } from "@lathe/llm";

type Env = Pick<ExecutionEnvironment, "resolve" | "stat">;

/** Links followed: what counts is where a write ends up. */
export async function staysInside(args: JsonObject, roots: readonly string[], env: Env): Promise<boolean> {
  const real = await Promise.all(namedFiles(args).map((path) => realPathOf(env, env.resolve(path))));
  const isInside = (path: string): boolean =>
    roots.some((root) => path === root || path.startsWith(root === "/" ? root : `${root}/`));
  return real.every(isInside);
}

function namedFiles(args: JsonObject): readonly string[] {
  const texts = Object.entries(args).flatMap(([name, value]) => (typeof value === "string" ? [{ name, value }] : []));
  const paths = texts.filter(({ name }) => /^(file_)?path$/.test(name)).map(({ value }) => value);
  if (paths.length > 0) return paths;
  return texts
    .flatMap(({ value }) => value.split(/\r\n|\r|\n/))
    .flatMap((line) => HEADERS.flatMap((read) => read(line)));
}

type HeaderReader = (line: string) => readonly string[];

/** `*** Update File: path` */
const v4aHeader: HeaderReader = (line) => {
  const path = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to):\s*(.*)$/.exec(line)?.[1];
  return path === undefined ? [] : [path.trim()];
};

/** `¶path#TAG` */
const hashlineHeader: HeaderReader = (line) => {
  const rest = /^\s*\u00b6[\s*]*(?:(?:Update|Add) File:)?\s*(.*?)[\s*]*$/.exec(line)?.[1];
  return rest === undefined ? [] : [rest.replace(/#[0-9A-Fa-f]{4}$/, "").trim()];
};

/** `--- a/path`, `+++ b/path`, `rename to path` */
const diffHeader: HeaderReader = (line) => {
  const renamed = /^rename (?:from|to) (.*)$/.exec(line)?.[1];
  if (renamed !== undefined) return [renamed.trim()];
  const side = /^(?:---|\+\+\+) ([^\t]*)/.exec(line)?.[1];
  if (side === undefined) return [];
  const path = side.trim().replace(/^"(.*)"$/, "$1");
  // Which of the two is meant depends on the other side of the diff; both have to be inside.
  return path === "/dev/null" ? [] : [path, path.replace(/^[ab]\//, "")];
};

const HEADERS: readonly HeaderReader[] = [v4aHeader, hashlineHeader, diffHeader];
