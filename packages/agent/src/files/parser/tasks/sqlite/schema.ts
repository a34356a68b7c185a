// The tables of a database, and how a row is identified.

import { CannotParse } from "../types.ts";
import type { Database } from "./open.ts";

export interface Table {
  readonly name: string;
  readonly kind: "table" | "view" | "virtual" | "shadow";
  readonly withoutRowid: boolean;
}

export interface Column {
  readonly name: string;
  readonly isKey: boolean;
}

/** The column that a key is compared with. */
export interface KeyColumn {
  readonly name: string;
  readonly sql: string;
}

const MOST_NAMED = 20;

export function tablesOf(database: Database): Table[] {
  const rows = database
    .prepare(
      "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all() as unknown as [string, Table["kind"], bigint][];
  return rows.map(([name, kind, withoutRowid]) => ({ name, kind, withoutRowid: withoutRowid === 1n }));
}

export function columnsOf(database: Database, table: Table): Column[] {
  // Includes computed columns, but not the hidden ones of virtual tables.
  const rows = database
    .prepare("SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1")
    .all(table.name) as unknown as [string, bigint][];
  return rows.map(([name, key]) => ({ name, isKey: key > 0n }));
}

export function keyOf(table: Table, columns: readonly Column[]): KeyColumn {
  const keys = columns.filter(({ isKey }) => isKey);
  if (keys.length === 1) return { name: keys[0]!.name, sql: quoteName(keys[0]!.name) };
  if (table.withoutRowid || table.kind === "view")
    throw new CannotParse(`rows of ${table.name} have no single key; use ${table.name}?where=…`);
  return { name: "rowid", sql: "rowid" };
}

/** The part of a path after the database: a table, and what follows it. The longest name wins. */
export function tableIn(
  inner: string,
  tables: readonly Table[],
): { table: Table; separator: "" | ":" | "?"; rest: string } {
  const fits = ({ name }: Table) => inner === name || inner.startsWith(`${name}:`) || inner.startsWith(`${name}?`);
  const [table] = tables.filter(fits).sort((a, b) => b.name.length - a.name.length);
  if (!table) throw new CannotParse(`there is no table ${/^[^:?]*/.exec(inner)![0]} in it; ${namesOf(tables)}`);
  const separator = inner.slice(table.name.length, table.name.length + 1) as "" | ":" | "?";
  return { table, separator, rest: inner.slice(table.name.length + 1) };
}

function namesOf(tables: readonly Table[]): string {
  if (tables.length === 0) return "it has no tables";
  const names = tables.filter(({ kind }) => kind !== "shadow").map(({ name }) => name);
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : "";
  return `it has ${names.slice(0, MOST_NAMED).join(", ")}${more}`;
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
