// What running commands use, summed over all processes that descend from them or share their session.

import { readFileSync } from "node:fs";

export interface ProcUse {
  readonly bytes: number;
  readonly count: number;
}

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly bytes: number;
}

/** The kernel counts in pages. */
const PAGE = 4096;

/** `list`: the entries of /proc; empty on systems without it. */
export function readProcUse<Command extends { readonly pid: number }>(
  commands: readonly Command[],
  list: () => readonly string[],
): Map<Command, ProcUse> {
  const rows = new Map<number, Row>();
  for (const name of names(list)) {
    const row = readRow(name);
    if (row) rows.set(row.pid, row);
  }
  const byPid = new Map(commands.map((command) => [command.pid, command]));
  const use = new Map(commands.map((command) => [command, { bytes: 0, count: 0 }]));
  for (const row of rows.values()) {
    const command = ownerOf(row, rows, byPid);
    const sum = command && use.get(command);
    if (!sum) continue;
    sum.bytes += row.bytes;
    sum.count += 1;
  }
  return use;
}

function ownerOf<Command>(
  row: Row,
  rows: ReadonlyMap<number, Row>,
  byPid: ReadonlyMap<number, Command>,
): Command | undefined {
  for (let at: Row | undefined = row, hops = 0; at !== undefined && hops < 64; at = rows.get(at.parent), hops++) {
    const command = byPid.get(at.pid) ?? byPid.get(at.session);
    if (command !== undefined) return command;
  }
  return undefined;
}

function names(list: () => readonly string[]): readonly string[] {
  try {
    return list().filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // no /proc here
  }
}

function readRow(name: string): Row | undefined {
  try {
    const line = readFileSync(`/proc/${name}/stat`, "latin1");
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    // It has ended and waits to be reaped, perhaps not by us.
    if (fields[0] === "Z") return undefined;
    return {
      pid: Number(name),
      parent: Number(fields[1]),
      session: Number(fields[3]),
      bytes: Number(fields[21]) * PAGE,
    };
  } catch {
    return undefined; // ended in the meantime
  }
}
