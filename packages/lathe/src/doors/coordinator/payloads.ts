// Prompts and reports, in files next to the event journal, which only names them. A file is complete before the event
// that names it is written.

import { closeSync, constants, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@lathe/llm";
import { isJsonObject, parseJson } from "@lathe/llm";

type Kind = "prompts" | "reports";

/** Returns the reference of the file. `id` must be one we made. */
export function writePayload(folder: string, kind: Kind, id: string, value: object): string {
  const name = `${kind}/${id}.json`;
  const aside = join(folder, `${name}.new`);
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const fd = openSync(aside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    try {
      writeFileSync(fd, JSON.stringify(value));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(aside, join(folder, name));
  } catch (error) {
    // A partial file is useless and takes room on a full disk.
    rmSync(aside, { force: true });
    throw error;
  }
  return name;
}

/** Undefined if the file is gone or not one of ours. */
export function readPayload(folder: string, kind: Kind, id: string): JsonObject | undefined {
  let fd: number;
  try {
    fd = openSync(join(folder, kind, `${id}.json`), constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const value = parseJson(readFileSync(fd, "utf8"));
    return isJsonObject(value) ? value : undefined;
  } finally {
    closeSync(fd);
  }
}
