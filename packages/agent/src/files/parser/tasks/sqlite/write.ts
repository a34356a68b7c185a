// Writes a row of a database in one transaction: inserts it, changes some of its values, or deletes it.

import type { RowChange } from "../../../target/format.ts";
import { CannotParse, type TaskInput } from "../types.ts";
import { type Cell, rowText } from "./cells.ts";
import { type Database, describeError, openForWriting, openReadOnly } from "./open.ts";
import { type Column, columnsOf, type KeyColumn, keyOf, quoteName, type Table, tableIn, tablesOf } from "./schema.ts";

export interface SqliteWrite extends TaskInput {
  readonly file: string;
  readonly inner: string;
  readonly content: string;
  /** Do not change anything. */
  readonly planOnly: boolean;
}

type Value = string | number | bigint | null;

interface Row {
  readonly database: Database;
  readonly table: Table;
  readonly columns: readonly Column[];
  readonly key: KeyColumn;
  readonly keyText: string;
}

export async function writeSqlite(input: TaskInput): Promise<RowChange> {
  const { file, inner, content, planOnly } = input as SqliteWrite;
  const database = await (planOnly ? openReadOnly(file) : openForWriting(file));
  try {
    return await change(database, inner, content, planOnly);
  } catch (error) {
    throw describeError(error);
  } finally {
    database.close();
  }
}

async function change(database: Database, inner: string, content: string, planOnly: boolean): Promise<RowChange> {
  const { table, separator, rest } = tableIn(inner, tablesOf(database));
  if (separator === "?") throw new CannotParse("SQLite write paths do not support query parameters");
  refuseOthers(table);
  const columns = columnsOf(database, table);
  const values = content.trim() === "" ? undefined : await valuesOf(content, table, columns);
  if (separator === "") {
    if (!values)
      throw new CannotParse(
        `the content is empty; give the new row of ${table.name} as an object, or name a row to delete it`,
      );
    if (planOnly) return { summary: `Inserted row into ${table.name}`, after: planValues(columns, values) };
    return inTransaction(database, () => insert(database, table, values));
  }
  const row = { database, table, columns, key: writableKey(table, columns), keyText: rest };
  if (values && values.size === 0) throw new CannotParse("there is nothing to change in an empty object");
  if (planOnly) return plan(row, values);
  return inTransaction(database, () => (values ? update(row, values) : remove(row)));
}

function refuseOthers({ name, kind, withoutRowid }: Table): void {
  if (kind !== "table")
    throw new CannotParse(
      `${name} is a ${kind === "view" ? "view" : "virtual table"}, whose rows cannot be written by path; use SQL in the shell`,
    );
  if (withoutRowid)
    throw new CannotParse(
      `${name} is a WITHOUT ROWID table, whose rows cannot be written by path; use SQL in the shell`,
    );
}

function writableKey(table: Table, columns: readonly Column[]): KeyColumn {
  if (columns.filter(({ isKey }) => isKey).length > 1)
    throw new CannotParse(
      `${table.name} has a composite primary key, so a row cannot be named by one value; use SQL in the shell`,
    );
  return keyOf(table, columns);
}

async function valuesOf(content: string, table: Table, columns: readonly Column[]): Promise<Map<string, Value>> {
  const { default: JSON5 } = await import("json5");
  const given = parseContent(content, JSON5.parse);
  const values = new Map<string, Value>();
  for (const [name, value] of Object.entries(given)) {
    const column = columns.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!column)
      throw new CannotParse(
        `there is no column ${name} in ${table.name}; it has ${columns.map((one) => one.name).join(", ")}`,
      );
    values.set(column.name, scalar(name, value));
  }
  return values;
}

function parseContent(content: string, parse: (text: string) => unknown): object {
  let value: unknown;
  try {
    value = parse(content);
  } catch (error) {
    throw new CannotParse(`the content is not a JSON5 object (${(error as Error).message.replace(/^JSON5: /, "")})`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new CannotParse("the content must be one object of columns and values, such as {name: 'x'}");
  return value;
}

function scalar(name: string, value: unknown): Value {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value !== "number" || Number.isNaN(value))
    throw new CannotParse(`the value of ${name} must be text, a number, true, false or null`);
  if (!Number.isInteger(value)) return value;
  if (!Number.isSafeInteger(value))
    throw new CannotParse(
      `the value of ${name} is too large to be exact; write it as a text, which the column turns into a number`,
    );
  return BigInt(value);
}

/** All or nothing, even if the process is killed. */
function inTransaction(database: Database, work: () => RowChange): RowChange {
  database.exec("BEGIN IMMEDIATE");
  try {
    const done = work();
    database.exec("COMMIT");
    return done;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function insert(database: Database, table: Table, values: ReadonlyMap<string, Value>): RowChange {
  const names = [...values.keys()].map(quoteName).join(", ");
  const what = values.size === 0 ? "DEFAULT VALUES" : `(${names}) VALUES (${[...values].map(() => "?").join(", ")})`;
  const statement = database.prepare(`INSERT INTO ${quoteName(table.name)} ${what} RETURNING *`);
  const [after] = statement.all(...values.values());
  const shown = statement.columns().map(({ name }) => name);
  return { summary: `Inserted row into ${table.name}`, after: rowText(shown, after as unknown as Cell[]) };
}

function update(row: Row, values: ReadonlyMap<string, Value>): RowChange {
  const { database, table } = row;
  const found = find(row);
  if (!found) return noRow(row, "updated in");
  const sets = [...values.keys()].map((name) => `${quoteName(name)} = ?`).join(", ");
  const statement = database.prepare(`UPDATE ${quoteName(table.name)} SET ${sets} WHERE rowid = ? RETURNING *`);
  const [after] = statement.all(...values.values(), found.rowid);
  if (!after) return noRow(row, "updated in");
  return {
    summary: `Updated row '${row.keyText}' in ${table.name}`,
    before: found.text,
    after: rowText(
      statement.columns().map(({ name }) => name),
      after as unknown as Cell[],
    ),
  };
}

function remove(row: Row): RowChange {
  const { database, table, keyText } = row;
  const found = find(row);
  if (!found) return noRow(row, "deleted from");
  const { changes } = database.prepare(`DELETE FROM ${quoteName(table.name)} WHERE rowid = ?`).run(found.rowid);
  if (Number(changes) === 0) return noRow(row, "deleted from");
  return { summary: `Deleted row '${keyText}' from ${table.name}`, before: found.text };
}

function plan(row: Row, values: ReadonlyMap<string, Value> | undefined): RowChange {
  const { columns, keyText, table } = row;
  const found = find(row);
  if (!found) return noRow(row, values ? "updated in" : "deleted from");
  if (!values) return { summary: `Deleted row '${keyText}' from ${table.name}`, before: found.text };
  const after = columns.map(({ name }, i) => (values.has(name) ? values.get(name)! : found.cells[i]!));
  const names = columns.map(({ name }) => name);
  return { summary: `Updated row '${keyText}' in ${table.name}`, before: found.text, after: rowText(names, after) };
}

const planValues = (columns: readonly Column[], values: ReadonlyMap<string, Value>): string => {
  const given = columns.filter(({ name }) => values.has(name)).map(({ name }) => name);
  return given.length === 0
    ? "(default values)"
    : rowText(
        given,
        given.map((name) => values.get(name)!),
      );
};

const noRow = ({ table, key, keyText }: Row, done: string): RowChange => ({
  summary: `No row ${done} ${table.name}: there is none with ${key.name} '${keyText}'`,
});

function find({
  database,
  table,
  columns,
  key,
  keyText,
}: Row): { rowid: bigint; cells: Cell[]; text: string } | undefined {
  const names = columns.map(({ name }) => name);
  const list = ["rowid", ...names.map(quoteName)].join(", ");
  const statement = database.prepare(`SELECT ${list} FROM ${quoteName(table.name)} WHERE ${key.sql} = ? LIMIT 1`);
  // As in reading: if the column has no type, the number 3 differs from the text 3.
  const asNumber = /^-?\d{1,18}$/.test(keyText) ? [BigInt(keyText)] : [];
  for (const candidate of [keyText, ...asNumber]) {
    const [row] = statement.all(candidate) as unknown as [bigint, ...Cell[]][];
    if (row) {
      const [rowid, ...cells] = row;
      return { rowid, cells, text: rowText(names, cells) };
    }
  }
  return undefined;
}
