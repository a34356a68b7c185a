// Ranks the definitions of an index by references to them: references from a file that is itself referenced often count
// more.

import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { TaskInput } from "../types.ts";
import type { CodeDefinition } from "./facts.ts";
import { type CodeLinks, linksIn } from "./links.ts";
import { readStore } from "./store.ts";

/** A definition and its file. */
export interface FoundDefinition extends CodeDefinition {
  readonly path: string;
}

/** The definitions of an index, the most referenced first. */
export interface RankedCode {
  readonly files: number;
  /** Total number of definitions, of which only the first are in `ranked`. */
  readonly definitions: number;
  readonly ranked: readonly FoundDefinition[];
  /** If a path was given: what its files use of others. */
  readonly used: readonly FoundDefinition[];
}

const MOST_RANKED = 5000;
const ROUNDS = 20;
const DAMPING = 0.85;
/** Tests use much that little else does, and all of them use their helpers. */
const TESTS =
  /(?:^|\/)(?:tests?|__tests__|specs?|testkit|testdata|fixtures|examples|bench|benchmarks)\/|[._-](?:test|spec|bench)\.\w+$|(?:^|\/)test_\w+\.py$/;
const OF_TESTS = 0.05;
/** A method call does not name its class, so it counts less. */
const OF_METHODS = 0.2;
/** A file with few references keeps most of its weight: a single reference is not worth as much as the file. */
const LEAST_TOTAL = 10;
/**
 * A name that its file does not export is probably a different one with the same name; but it may be exported at the
 * end of the file.
 */
const OF_PRIVATE = 0.02;
const HAS_EXPORTS = /\.(?:[cm]?[jt]sx?)$/;
/** In these languages, names of other files must be imported. */
const NEEDS_IMPORT = /\.(?:[cm]?[jt]sx?|pyi?)$/;

interface Row extends FoundDefinition {
  readonly file: number;
  readonly nameId: number;
}

/** From a file to a definition, both by index. */
interface Edge {
  readonly from: number;
  readonly to: number;
  weight: number;
}

interface Beginning {
  readonly files: CodeLinks["files"];
  readonly start: readonly number[];
}

export async function rankCode(input: TaskInput): Promise<RankedCode> {
  const { file, path } = input as TaskInput & { file: string; path?: string };
  return readStore(file, (db) => {
    const links = linksIn(db);
    const rows = rankableIn(db);
    const edges = edgesIn(db, rows, links);
    const isInside = (of: string): boolean => path === undefined || of === path || of.startsWith(`${path}/`);
    const flow = (weight: (of: string) => number): Float64Array =>
      scoresOf(rows, edges, { files: links.files, start: links.files.map((one) => weight(one.path)) });
    const general = flow((of) => (TESTS.test(of) ? OF_TESTS : 1));
    for (const [at, row] of rows.entries()) if (TESTS.test(row.path)) general[at]! *= OF_TESTS;
    const ranked = inOrder(rows, general, (row) => isInside(row.path));
    const own = path === undefined ? undefined : flow((of) => Number(isInside(of)));
    const referred = new Set(edges.flatMap(({ from, to }) => (isInside(links.files[from]!.path) ? [rows[to]!] : [])));
    const used = own ? inOrder(rows, own, (row) => referred.has(row) && !isInside(row.path)) : [];
    return {
      files: links.files.length,
      definitions: ranked.length,
      ranked: ranked.slice(0, MOST_RANKED),
      used: used.slice(0, MOST_RANKED),
    };
  });
}

function inOrder(rows: readonly Row[], scores: Float64Array, isWanted: (row: Row) => boolean): FoundDefinition[] {
  return [...rows.keys()]
    .filter((at) => isWanted(rows[at]!))
    .sort((a, b) => scores[b]! - scores[a]! || a - b)
    .map((at) => {
      const { path, name, kind, line, inside, signature } = rows[at]!;
      return { path, name, kind, line, inside, signature };
    });
}

/** What a reader of a map looks for: nothing private, no fields, nothing inside functions. */
function rankableIn(db: DatabaseSyncInstance): Row[] {
  const sql = `SELECT file, file.path AS path, name AS nameId, name.text AS name, kind, line, inside, signature
    FROM definition JOIN file ON file.id = file JOIN name ON name.id = name
    WHERE kind <> 'field' AND (inside = '' OR kind = 'method') ORDER BY path, line`;
  return (db.prepare(sql).all() as unknown as Row[]).filter(
    ({ name, signature }) => !/^[#_]|^constructor$/.test(name) && !/^(?:private|protected)\b/.test(signature),
  );
}

/** References between files; the weights of each file add up to at most 1. */
function edgesIn(db: DatabaseSyncInstance, rows: readonly Row[], { files, whole }: CodeLinks): Edge[] {
  const byName = new Map<number, number[]>();
  for (const [at, { nameId }] of rows.entries()) {
    const known = byName.get(nameId);
    if (known) known.push(at);
    else byName.set(nameId, [at]);
  }
  const places = new Map(files.map(({ id }, at) => [id, at]));
  const edges: Edge[] = [];
  const totals = new Float64Array(files.length);
  // One row per name: a row per reference takes ten times as long.
  const names = db
    .prepare(
      `SELECT name, group_concat(file || ' ' || (length(lines) - length(replace(lines, ',', '')) + 1)) AS places
       FROM reference WHERE name IN (SELECT name FROM definition) GROUP BY name`,
    )
    .all() as { name: number; places: string }[];
  for (const { name, places: all } of names) {
    const defined = byName.get(name);
    if (!defined) continue;
    const isOwn = new Set(defined.map((at) => rows[at]!.file));
    for (const place of all.split(",")) {
      const [file = 0, count = 1] = place.split(" ").map(Number);
      const from = places.get(file);
      if (from === undefined || isOwn.has(file)) continue;
      const imported = whole.get(file);
      const meant = defined.filter((at) => imported?.has(rows[at]!.file));
      const isGuess = meant.length === 0 && defined.length === 1 && !NEEDS_IMPORT.test(files[from]!.path);
      for (const to of isGuess ? defined : meant) {
        const weight = (Math.sqrt(count) / (meant.length || 1)) * trustIn(rows[to]!);
        edges.push({ from, to, weight });
        totals[from]! += weight;
      }
    }
  }
  for (const edge of edges) edge.weight /= Math.max(totals[edge.from]!, LEAST_TOTAL);
  return edges;
}

function trustIn({ kind, path, signature }: Row): number {
  if (kind === "method") return OF_METHODS;
  return HAS_EXPORTS.test(path) && !/^export\b/.test(signature) ? OF_PRIVATE : 1;
}

/**
 * The weight that arrives at each definition when every file passes on what it receives. `start`: initial weight of
 * each file.
 */
function scoresOf(rows: readonly Row[], edges: readonly Edge[], { files, start }: Beginning): Float64Array {
  const whole = start.reduce((sum, value) => sum + value, 0) || 1;
  const places = new Map(files.map(({ id }, at) => [id, at]));
  const fileOf = Int32Array.from(rows, ({ file }) => places.get(file) ?? 0);
  const scores = new Float64Array(rows.length);
  let ranks = Float64Array.from(start, (value) => value / whole);
  for (let round = 0; round < ROUNDS; round++) {
    scores.fill(0);
    for (const { from, to, weight } of edges) scores[to]! += ranks[from]! * weight;
    ranks = Float64Array.from(start, (value) => ((1 - DAMPING) * value) / whole);
    for (const [to, score] of scores.entries()) ranks[fileOf[to]!]! += DAMPING * score;
  }
  return scores;
}
