// A map as text: definitions by file, the most linked files first, as many as there is room for.

import type { FoundDefinition, RankedCode } from "@lathe/agent/files";

export interface MapOptions {
  /** What the map is about; everything when absent. */
  readonly path?: string | undefined;
  readonly tokens: number;
  readonly columns: number;
  /** There are more files than are indexed. */
  readonly isCut: boolean;
  /** Definitions of other files are left out. */
  readonly mayShow: (path: string) => boolean;
  /** How the reader gets to see more. */
  readonly hint: string;
}

const CHARS_PER_TOKEN = 4;
/** Of the room, for what the path itself defines. */
const OWN_SHARE = 0.7;

/** Undefined: there is nothing to show. */
export function showMap(code: RankedCode, options: MapOptions): string | undefined {
  const { path, tokens, isCut, mayShow, hint } = options;
  const ranked = code.ranked.filter((one) => mayShow(one.path));
  const used = code.used.filter((one) => mayShow(one.path));
  if (ranked.length + used.length === 0) return undefined;
  const room = tokens * CHARS_PER_TOKEN;
  const own = fitting(ranked, used.length === 0 ? room : room * OWN_SHARE, options);
  const others = fitting(used, room - own.length, options);
  const about = path === undefined ? countOf(code.files, "file") : path;
  const more = code.definitions - own.count;
  return [
    `${about}${isCut ? " (the newest; there are more)" : ""}: ${countOf(code.definitions, "definition")}, the most linked first`,
    own.text,
    ...(others.count === 0 ? [] : ["", `Used by ${path}:`, others.text]),
    ...(more > 0 ? ["", `${countOf(more, "more definition")}: ${hint}`] : []),
  ].join("\n");
}

function fitting(definitions: readonly FoundDefinition[], room: number, { columns }: MapOptions) {
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

/** Without words that say nothing in a map and the value of a constant that is no function; a method with its class. */
function headOf({ kind, name, inside, signature }: FoundDefinition): string {
  const at = signature.indexOf(name);
  if (at < 0) return `${kind} ${name}`;
  if (kind === "method") return `${inside === "" ? "" : `${inside}.`}${signature.slice(at)}`;
  const plain = signature.replace(/^(?:export|default|declare|pub(?:\([^)]*\))?)\s+|^(?:export default)\s+/, "");
  return kind === "constant" ? plain.replace(/\s*=(?!\s*(?:async\s*)?\().*$/, "") : plain;
}

const countOf = (count: number, one: string): string =>
  `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;
