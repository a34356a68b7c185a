// SQL from a path: what it may contain, and what the database lets it do.

import { CannotParse } from "../types.ts";
import type { Database } from "./open.ts";

const LITERALS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]/g;
const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;

/** A condition must be a single expression. */
export function checkCondition(where: string): void {
  const bare = where.replace(LITERALS, "''");
  const found = /--|\/\*|;|\b(?:limit|offset|union|attach|pragma)\b/i.exec(bare)?.[0];
  if (found !== undefined)
    throw new CannotParse(`where cannot contain "${found.toUpperCase()}"; use ?q= for a whole query`);
  if (where.trim() === "") throw new CannotParse("where is empty; give a condition, such as where=id>3");
}

/** Anything after the first statement would be ignored without the model knowing. */
export function checkSingle(sql: string): void {
  const bare = sql.replace(new RegExp(`${LITERALS.source}|${COMMENTS.source}`, "g"), " ");
  if (bare.trim() === "") throw new CannotParse("the query is empty; write it after ?q=, such as ?q=SELECT 1");
  if (/;\s*\S/.test(bare)) throw new CannotParse("?q= takes one statement; send the others in separate calls");
}

const ALLOW = 0;
const DENY = 1;
const ACTION = { pragma: 19, read: 20, select: 21, function: 31, recursive: 33 };
const READING: readonly number[] = [ACTION.read, ACTION.select, ACTION.recursive];

/** Restricts the database to reading from now on: no other file, no setting, no extension. */
export function onlyReading(database: Database): void {
  database.setAuthorizer((action, first, second) => {
    if (READING.includes(action)) return ALLOW;
    if (action === ACTION.function) return second === "load_extension" ? DENY : ALLOW;
    // Full-text tables check whether they have changed.
    return action === ACTION.pragma && first === "data_version" ? ALLOW : DENY;
  });
}
