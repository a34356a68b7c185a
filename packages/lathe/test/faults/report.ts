// Which faults are tried, and the rows from which docs/reliability.md is generated: one JSON line each, stored for
// scripts/test-faults.mjs.

import { appendFileSync } from "node:fs";

/** `npm run test:faults` tries everything; the normal suite a selection. */
export const isFull = process.env["LATHE_FAULTS"] === "all";

const rows = process.env["LATHE_FAULT_ROWS"];

export function report(table: string, row: Readonly<Record<string, unknown>>): void {
  if (rows !== undefined) appendFileSync(rows, `${JSON.stringify({ table, ...row })}\n`);
}
