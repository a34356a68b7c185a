// Deletes the memories of a project: rows and files.

import { rmSync } from "node:fs";
import { SHARED } from "./memory.ts";
import type { MemoryPlace } from "./memory-place.ts";
import { folderOf } from "./places.ts";
import { countOf } from "./words.ts";

/** `all`: the memories of every project. Returns a sentence for the user. */
export async function clearMemories(place: MemoryPlace, { all = false }: { all?: boolean } = {}): Promise<string> {
  const store = await place.store();
  const projects = all ? store.projects() : [place.scoping === "global" ? SHARED : place.project];
  const count = projects.reduce((sum, project) => sum + store.count(project), 0);
  for (const project of projects) {
    // The hint's files go first: rows that a failure leaves behind are only found again, but a leftover hint would
    // still be sent.
    rmSync(folderOf(place.home, project), { recursive: true, force: true });
    store.clear(project);
  }
  const where = all ? "all projects" : place.scoping === "global" ? "all projects, which share them" : place.project;
  return `Deleted ${countOf(count, "note")} of ${where}.`;
}
