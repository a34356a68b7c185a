// Remembers what journals cost: a file that has not changed since is not opened again. Only a copy of what the files say, so
// anything wrong with it means reading them.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type DaySpending, type FileStats, statsOfFile, type Tally } from "./file-stats.ts";
import type { SessionFile } from "./files.ts";

/** Rows, not objects: ten thousand of them are read for one table. */
type Row = readonly [path: string, mtimeMs: number, bytes: number, ...stats: Stats | []];
type Stats = readonly [
  cwd: string,
  parent: string | null,
  own: TallyRow,
  copied: TallyRow | null,
  lost: number,
  agents: Readonly<Record<string, string>>,
];
type TallyRow = readonly [user: number, assistant: number, tool: number, spent: readonly SpentRow[]];
type SpentRow = readonly [
  day: string,
  model: string,
  answers: number,
  input: number,
  cached: number,
  output: number,
  cost: number,
  unpriced: number,
];

const VERSION = 3;
/** Below this many, reading the files is cheaper than keeping what they say. */
const WORTH_REMEMBERING = 50;

export class StatsMemory {
  readonly #file: string;
  readonly #known: ReadonlyMap<string, Row>;
  readonly #rows: Row[] = [];
  #hasNew = false;

  constructor(file: string) {
    this.#file = file;
    this.#known = new Map(load(file).map((row) => [row[0], row]));
  }

  /** A journal only ever grows, so its size and time tell whether it has changed. */
  statsOf({ path, mtimeMs, bytes }: SessionFile): FileStats | undefined {
    const known = this.#known.get(path);
    if (known?.[1] === mtimeMs && known[2] === bytes) {
      this.#rows.push(known);
      return fromRow(known);
    }
    const stats = statsOfFile(path);
    this.#rows.push(stats ? [path, mtimeMs, bytes, ...toRow(stats)] : [path, mtimeMs, bytes]);
    this.#hasNew = true;
    return stats;
  }

  /** To be called when all files were asked for. Best effort: a full or read-only home must not stop a table. */
  save(): void {
    if (this.#rows.length < WORTH_REMEMBERING) return;
    if (!this.#hasNew && this.#rows.length === this.#known.size) return;
    const aside = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(aside, JSON.stringify({ version: VERSION, rows: this.#rows }), { mode: 0o600 });
      renameSync(aside, this.#file);
    } catch {
      rmSync(aside, { force: true }); // the next table is made from the files
    }
  }
}

const toRow = ({ cwd, parent, own, copied, lost, agents }: FileStats): Stats => [
  cwd,
  parent ?? null,
  tallyRow(own),
  parent === undefined ? null : tallyRow(copied),
  lost,
  agents,
];

const tallyRow = ({ messages: { user, assistant, tool }, spent }: Tally): TallyRow => [
  user,
  assistant,
  tool,
  spent.map(({ day, model, answers, input, cached, output, cost, unpriced }) => [
    day,
    model,
    answers,
    input,
    cached,
    output,
    cost,
    unpriced,
  ]),
];

const NOTHING: Tally = { messages: { user: 0, assistant: 0, tool: 0 }, spent: [] };

function fromRow(row: Row): FileStats | undefined {
  const cwd = row[3];
  const parent = row[4];
  const own = row[5];
  if (cwd === undefined || own === undefined) return undefined;
  const copied = row[6];
  return {
    cwd,
    ...(typeof parent === "string" ? { parent } : {}),
    own: tallyOf(own),
    copied: copied ? tallyOf(copied) : NOTHING,
    lost: row[7] ?? 0,
    agents: row[8] ?? {},
  };
}

const tallyOf = ([user, assistant, tool, spent]: TallyRow): Tally => ({
  messages: { user, assistant, tool },
  spent: spent.map(
    ([day, model, answers, input, cached, output, cost, unpriced]): DaySpending => ({
      day,
      model,
      answers,
      input,
      cached,
      output,
      cost,
      unpriced,
    }),
  ),
});

function load(file: string): readonly Row[] {
  try {
    const { version, rows } = JSON.parse(readFileSync(file, "utf8")) as { version: number; rows: readonly Row[] };
    return version === VERSION ? rows : [];
  } catch {
    return [];
  }
}
