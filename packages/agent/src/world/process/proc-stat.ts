// The kernel's one-line report about a process, on systems with /proc.

import { closeSync, openSync, readSync } from "node:fs";

export interface ProcStat {
  /** "Z": ended and waiting to be reaped. */
  readonly state: string;
  readonly group: number;
  /** Start time in ticks since boot. */
  readonly start: number;
}

/** More than the wanted fields can take: files of /proc have no size, and reading them whole takes many steps. */
const LINE_BYTES = 1024;

export function procStatBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(LINE_BYTES);
}

/** Undefined if the process is gone or there is no /proc. */
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
  // The name before this may contain anything, including brackets.
  const line = buffer.subarray(0, length).toString();
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ", 20);
  return { state: fields[0] ?? "", group: Number(fields[2]), start: Number(fields[19]) };
}
