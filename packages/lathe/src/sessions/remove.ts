// Removes a session: its journal, artifacts and subagents' journals. Blobs may be shared, so `lathe sessions doctor
// --gc` collects them.

import { readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { FileStore } from "@lathe/agent";
import { hasBegun, movingCopy, readHead } from "@lathe/agent/record";
import type { Workspace } from "../config/workspace/workspace.ts";
import { usageError } from "../platform/usage/exit.ts";
import { openToWrite } from "./journals/journal-files.ts";

/** Refused while a process has the session or one of its subagents open. */
export async function removeSession(workspace: Workspace, path: string): Promise<void> {
  if (!readHead(path) && hasBegun(path)) throw usageError(`${path} is not a session file; it was not removed.`);
  const folder = path.endsWith(".jsonl") ? path.slice(0, -".jsonl".length) : undefined;
  const ours = folder === undefined ? [] : ownFiles(folder);
  const journals = [path, ...ours.filter((file) => file.endsWith(".jsonl"))];
  const locked: FileStore[] = [];
  try {
    for (const journal of journals) locked.push(openToWrite(workspace, journal));
    for (const file of [...ours, path]) rmSync(file);
    rmSync(movingCopy(path), { force: true });
  } finally {
    for (const store of locked) await store.close();
  }
  if (folder !== undefined) removeIfEmpty(folder);
}

/** A session file may be anywhere, and so may a folder with its name: only what a session creates there is removed. */
function ownFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+\..*\.log$|^handoff-.*\.md$|\.jsonl$/.test(name))
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}
