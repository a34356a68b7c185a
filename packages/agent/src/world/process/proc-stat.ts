// What the kernel reports about a process in one line, on systems that have /proc.

import { closeSync, openSync, readSync } from "node:fs";

export interface ProcStat {
  /** "Z": ended, and only waits to be reaped. */
  readonly state: string;
  readonly group: number;
  /** The time of its start, in ticks since the system began. */
  readonly start: number;
}

/** More than the fields that are wanted can take: files of /proc have no size, and reading them whole takes many steps. */
const LINE_BYTES = 1024;

export function procStatBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(LINE_BYTES);
}

/** Undefined for one that is gone, and where there is no /proc. */
export function readProcStat(pid: number | string, buffer = procStatBuffer()): ProcStat | undefined {
  let length: number;
  try {
    const file = openSync(`/proc/${pid}/stat`, "r");
    try {
      length = readSync(file, buffer, 0, LINE_BYTES, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
  // The name before it may hold anything, brackets included.
  const line = buffer.subarray(0, length).toString();
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ", 20);
  return { state: fields[0] ?? "", group: Number(fields[2]), start: Number(fields[19]) };
}
