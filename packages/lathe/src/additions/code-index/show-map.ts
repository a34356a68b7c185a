// A map as text: definitions by file, the most linked first, as many as fit.

import type { FoundDefinition, RankedCode } from "@lathe/agent/files";

export interface MapOptions {
  /** The path that the map covers; the whole project if absent. */
  readonly path?: string | undefined;
  readonly tokens: number;
  readonly columns: number;
  /** There are more files than the index takes. */
  readonly isCut: boolean;
  /** Definitions of files that this refuses are left out. */
  readonly mayShow: (path: string) => boolean;
  /** Tells the reader how to see more. */
  readonly hint: string;
}

const CHARS_PER_TOKEN = 4;
/** The share of the room for definitions of the path itself. */
const OWN_SHARE = 0.7;

/** Undefined if there is nothing to show. */
export function showMap(code: RankedCode, options: MapOptions): string | undefined {
  const { path, tokens, isCut, mayShow, hint } = options;
  const ranked = code.ranked.filter((one) => mayShow(one.path));
  const used = code.used.filter((one) => mayShow(one.path));
  if (ranked.length + used.length === 0) return undefined;
  const room = tokens * CHARS_PER_TOKEN;
  const own = takeFitting(ranked, used.length === 0 ? room : room * OWN_SHARE, options);
  const others = takeFitting(used, room - own.length, options);
  const about = path === undefined ? countOf(code.files, "file") : path;
  const more = code.definitions - own.count;
  return [
    `${about}${isCut ? " (the newest; there are more)" : ""}: ${countOf(code.definitions, "definition")}, the most linked first`,
    own.text,
    ...(others.count === 0 ? [] : ["", `Used by ${path}:`, others.text]),
    ...(more > 0 ? ["", `${countOf(more, "more definition")}: ${hint}`] : []),
  ].join("\n");
}

function takeFitting(definitions: readonly FoundDefinition[], room: number, { columns }: MapOptions) {
  const byFile = new Map<string, { readonly line: number; readonly text: string }[]>();
  let length = 0;
  let count = 0;
  for (const one of definitions) {
    const text = lineOf(one, columns);
    const known = byFile.get(one.path);
    const needed = text.length + 1 + (known ? 0 : one.path.length + 1);
    if (length + needed > room) break;
    length += needed;
    count++;
    if (known) known.push({ line: one.line, text });
    else byFile.set(one.path, [{ line: one.line, text }]);
  }
  const groups = [...byFile].map(([path, lines]) =>
    [path, ...lines.sort((a, b) => a.line - b.line).map(({ text }) => text)].join("\n"),
  );
  return { text: groups.join("\n"), length, count };
}

const NUMBER_ROOM = 6;

function lineOf(one: FoundDefinition, columns: number): string {
  const text = `${String(one.line).padStart(NUMBER_ROOM)} ${headOf(one)}`;
  return text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
}

/**
 * The signature without keywords that say nothing in a map, and without the value of a constant unless it is a
 * function; a method gets its class.
 */
function headOf({ kind, name, inside, signature }: FoundDefinition): string {
  const at = signature.indexOf(name);
  if (at < 0) return `${kind} ${name}`;
  if (kind === "method") return `${inside === "" ? "" : `${inside}.`}${signature.slice(at)}`;
  const plain = signature.replace(/^(?:export|default|declare|pub(?:\([^)]*\))?)\s+|^(?:export default)\s+/, "");
  return kind === "constant" ? plain.replace(/\s*=(?!\s*(?:async\s*)?\().*$/, "") : plain;
}

const countOf = (count: number, one: string): string =>
  `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;
