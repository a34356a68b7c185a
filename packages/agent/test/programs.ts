// Which system programs a test may use.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const DIRECTORIES = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];

export function program(name: string): string | undefined {
  return DIRECTORIES.map((directory) => join(directory, name)).find(existsSync);
}

export const has = (...names: string[]): boolean => names.every((name) => program(name) !== undefined);
