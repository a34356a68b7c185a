// `lathe config set`: changes one key of the user's file under a lock, keeping comments, order and unknown keys.

import { readFile, rename, writeFile } from "node:fs/promises";
import { withFileLock } from "../home/json-file.ts";
import type { SettingKey } from "./schema.ts";

export async function writeSetting(file: string, key: SettingKey, value: unknown): Promise<void> {
  await withFileLock(file, async () => {
    const { parseDocument } = await import("yaml");
    const document = parseDocument(await readOrEmpty(file));
    document.setIn(key.split("."), value);
    const temporary = `${file}.${process.pid}.tmp`;
    await writeFile(temporary, document.toString(), { mode: 0o600 });
    await rename(temporary, file);
  });
}

async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
