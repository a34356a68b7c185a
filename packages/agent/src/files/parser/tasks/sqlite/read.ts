// What a path shows of a database: its tables, one table, rows of it, one row, or the result of a query.

import { CannotParse, type TaskInput } from "../types.ts";
import { asciiTable, type Cell, rowText } from "./cells.ts";
import { type Database, describeError, openReadOnly } from "./open.ts";
import { type Column, columnsOf, keyOf, quoteName, type Table, tableIn, tablesOf } from "./schema.ts";
import { checkCondition, checkSingle, onlyReading } from "./statement.ts";

export interface SqliteView extends TaskInput {
  /** The real path on this machine that was judged. */
  readonly file: string;
  readonly separator: "" | ":" | "?";
  readonly inner: string;
}

const MOST_TABLES = 500;
const MOST_COUNTED = 1_000_000;
const SAMPLE = 5;
const DEFAULT_ROWS = 20;
const MOST_ROWS = 500;

export async function readSqlite(input: TaskInput): Promise<string> {
  const { file, separator, inner } = input as SqliteView;
  const database = await openReadOnly(file);
  try {
    if (inner === "") return tableList(database);
    return separator === "?" ? query(database, inner) : tableView(database, inner);
  } catch (error) {
    throw describeError(error);
  } finally {
    database.close();
  }
}

function tableList(database: Database): string {
  const all = tablesOf(database).filter(({ kind }) => kind !== "shadow");
  if (all.length === 0) return "(no tables)";
  onlyReading(database);
  const lines = all.slice(0, MOST_TABLES).map((table) => `${table.name}  ${rowCount(database, table)}${about(table)}`);
  if (all.length > MOST_TABLES) lines.push(`[${all.length - MOST_TABLES} more tables]`);
  return lines.join("\n");
}

const about = ({ kind }: Table): string => (kind === "table" ? "" : ` (${kind === "view" ? kind : "virtual table"})`);

/** Counting a large table reads all of it, and a view may compute anything. */
function rowCount(database: Database, table: Table): string {
  if (table.kind === "view") return "rows not counted";
  try {
    const count = countOf(database, `SELECT 1 FROM ${quoteName(table.name)}`);
    return `${count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : count} ${count === 1 ? "row" : "rows"}`;
  } catch {
    // a module that is not built in, or a damaged page: the other tables are still worth showing
    return "rows cannot be counted";
  }
}

function countOf(database: Database, rows: string): number {
  const [found] = database.prepare(`SELECT count(*) FROM (${rows} LIMIT ${MOST_COUNTED + 1})`).all();
  return Number((found as unknown as [bigint])[0]);
}

function tableView(database: Database, inner: string): string {
  const { table, separator, rest } = tableIn(inner, tablesOf(database));
  const columns = columnsOf(database, table);
  if (separator === ":") return oneRow(database, table, columns, rest);
  if (separator === "?") return someRows(database, table, columns, rest);
  const [definition] = database.prepare("SELECT sql FROM sqlite_master WHERE name = ?").all(table.name);
  onlyReading(database);
  const names = columns.map(({ name }) => name);
  const rows = readShortened(database, table, columns, `LIMIT ${SAMPLE}`);
  const ddl = (definition as unknown as [string | null])?.[0] ?? "";
  const count = table.kind === "view" ? undefined : countOf(database, `SELECT 1 FROM ${quoteName(table.name)}`);
  const shown = rows.length === 0 ? "(no rows)" : asciiTable(names, rows);
  const more =
    rows.length === SAMPLE && count !== SAMPLE
      ? `\n[${SAMPLE} rows of ${count === undefined ? "an unknown number" : count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : count}; more with ${table.name}?limit=${DEFAULT_ROWS}&offset=${SAMPLE}]`
      : "";
  return `${ddl};\n\n${shown}${more}`;
}

function oneRow(database: Database, table: Table, columns: readonly Column[], key: string): string {
  const { name, sql } = keyOf(table, columns);
  onlyReading(database);
  const statement = database.prepare(
    `SELECT ${inFull(columns)} FROM ${quoteName(table.name)} WHERE ${sql} = ? LIMIT 1`,
  );
  // If the column has no type, the number 3 differs from the text 3.
  const asNumber = /^-?\d{1,18}$/.test(key) ? [BigInt(key)] : [];
  for (const candidate of [key, ...asNumber]) {
    const [row] = statement.all(candidate);
    if (row)
      return rowText(
        columns.map((column) => column.name),
        row as unknown as Cell[],
      );
  }
  const query = key.includes("?") ? "; rows are named by their key alone, without parameters" : "";
  throw new CannotParse(`there is no row with ${name} '${key}' in ${table.name}${query}`);
}

function someRows(database: Database, table: Table, columns: readonly Column[], query: string): string {
  const { limit, offset, order, where } = rowParameters(query);
  const clauses: string[] = [];
  if (where !== undefined) {
    checkCondition(where);
    clauses.push(`WHERE (${where})`);
  }
  if (order !== undefined) {
    const [, name = "", direction] = /^([\s\S]*?)(?::(asc|desc))?$/i.exec(order) ?? [];
    const column = columns.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!column)
      throw new CannotParse(
        `there is no column ${name} in ${table.name}; it has ${columns.map((one) => one.name).join(", ")}`,
      );
    clauses.push(`ORDER BY ${quoteName(column.name)} ${direction ?? "asc"}`);
  }
  onlyReading(database);
  const rows = readShortened(database, table, columns, `${clauses.join(" ")} LIMIT ${limit + 1} OFFSET ${offset}`);
  if (rows.length === 0) return offset > 0 ? `(no rows from offset ${offset} on)` : "(no rows)";
  const shown = asciiTable(
    columns.map(({ name }) => name),
    rows.slice(0, limit),
  );
  return rows.length > limit ? `${shown}\n[more rows with offset=${offset + limit}]` : shown;
}

interface RowParameters {
  readonly limit: number;
  readonly offset: number;
  readonly order?: string;
  readonly where?: string;
}

function rowParameters(query: string): RowParameters {
  const given = new Map<string, string>();
  // A condition may contain an ampersand.
  for (const part of query.split(/&(?=[a-z_]\w*=)/i)) {
    const [, name = part, value] = /^([^=]*)=([\s\S]*)$/.exec(part) ?? [];
    if (value === undefined || !["limit", "offset", "order", "where"].includes(name))
      throw new CannotParse(
        `${name || "an empty text"} is not a parameter of a table; use limit, offset, order or where`,
      );
    given.set(name, decodeValue(value));
  }
  const number = (name: string, fallback: number, least: number): number => {
    const text = given.get(name);
    if (text === undefined) return fallback;
    if (!/^\d{1,15}$/.test(text) || Number(text) < least)
      throw new CannotParse(`${name} must be a number from ${least} on, not ${text}`);
    return Number(text);
  };
  const order = given.get("order");
  const where = given.get("where");
  return {
    limit: Math.min(MOST_ROWS, number("limit", DEFAULT_ROWS, 1)),
    offset: number("offset", 0, 0),
    ...(order === undefined ? {} : { order }),
    ...(where === undefined ? {} : { where }),
  };
}

/** It may be percent-encoded as in an address; a text with spaces is not. */
function decodeValue(value: string): string {
  if (/\s/.test(value) || !/%[0-9a-f]{2}/i.test(value)) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // a literal percent sign
  }
}

function query(database: Database, parameters: string): string {
  const [, sql] = /^q=([\s\S]*)$/.exec(parameters) ?? [];
  if (sql === undefined)
    throw new CannotParse(
      "a database takes one parameter, ?q= with a query; limit and where belong to a table, as in db:table?limit=5",
    );
  const statementText = decodeValue(sql);
  checkSingle(statementText);
  onlyReading(database);
  const statement = database.prepare(statementText);
  const names = statement.columns().map(({ name }) => name);
  const rows: Cell[][] = [];
  let isCut = false;
  for (const row of statement.iterate()) {
    isCut = rows.length === MOST_ROWS;
    if (isCut) break;
    rows.push((row as unknown as Cell[]).map(shortCell));
  }
  if (rows.length === 0) return "(no rows)";
  return `${asciiTable(names, rows)}${isCut ? `\n[only the first ${MOST_ROWS} rows]` : ""}`;
}

/** Text beyond the width of a cell need not be kept. */
const KEPT = 64;
const shortCell = (cell: Cell): Cell => (typeof cell === "string" && cell.length > KEPT ? cell.slice(0, KEPT) : cell);

/** Large values stay in the database. */
function readShortened(database: Database, table: Table, columns: readonly Column[], clauses: string): Cell[][] {
  const values = columns.map(({ name }) => `${short(quoteName(name), KEPT)} AS ${quoteName(name)}`).join(", ");
  return database.prepare(`SELECT ${values} FROM ${quoteName(table.name)} ${clauses}`).all() as unknown as Cell[][];
}

const MOST_VALUE = 20_001;
const inFull = (columns: readonly Column[]): string =>
  columns.map(({ name }) => short(quoteName(name), MOST_VALUE)).join(", ");

const short = (column: string, most: number): string =>
  `CASE typeof(${column}) WHEN 'blob' THEN '<blob, ' || length(${column}) || ' bytes>' WHEN 'text' THEN substr(${column}, 1, ${most}) ELSE ${column} END`;
