// `lathe config set`: changes one key of the user's file under a lock, keeping comments, order and unknown keys.

import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { SettingKey } from "./schema.ts";

export async function writeSetting(file: string, key: SettingKey, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const { lock } = await import("proper-lockfile");
  const release = await lock(file, {
    realpath: false,
    retries: { retries: 50, minTimeout: 10, maxTimeout: 100 },
    stale: 5_000,
  });
  try {
    const { parseDocument } = await import("yaml");
    const document = parseDocument(await readOrEmpty(file));
    document.setIn(key.split("."), value);
    const temporary = `${file}.${process.pid}.tmp`;
    await writeFile(temporary, document.toString(), { mode: 0o600 });
    await rename(temporary, file);
  } finally {
    await release();
  }
}

async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
