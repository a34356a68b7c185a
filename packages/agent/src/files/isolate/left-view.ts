// Views that outlive their process: the record of an open view, which views were left in a store, and whether one
// contains anything that the user would miss.

import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Processes } from "../../world/process/processes.ts";
import { EnvError } from "../../world/process/types.ts";
import { copySource, makeReflink, makeWorktree } from "./copies.ts";
import { GitFailed } from "./git-store.ts";
import type { Opening } from "./kinds.ts";
import { type Part, restoreParts, retakePart, type TakenPart } from "./parts.ts";
import type { ViewAgent, ViewHost, ViewKind, ViewRequest } from "./types.ts";
import { abandonedFolders, LANDED, RECORD } from "./view-folder.ts";

/** A view that a process left behind. */
export interface LeftView {
  readonly id: string;
  readonly kind: ViewKind;
  readonly root: string;
  /** Its process was killed; otherwise it was left on purpose. */
  readonly isCutOff: boolean;
  /** The agent that worked in it; absent for the work of a whole run. */
  readonly agent?: ViewAgent | undefined;
}

/** The record of a view that is kept. */
export interface ViewRecord {
  readonly root: string;
  readonly kind: Exclude<ViewKind, "none" | "container">;
  /** Number of indexes that have been created in it. */
  readonly deltas: number;
  readonly parts: readonly TakenPart[];
  readonly agent?: ViewAgent | undefined;
}

/** Written under another name first, because half a record would be unusable. */
export function writeRecord(folder: string, record: ViewRecord): void {
  const file = join(folder, RECORD);
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Undefined for a view that is not kept, was still being opened, or has landed. */
export function recordIn(folder: string): ViewRecord | undefined {
  const file = join(folder, RECORD);
  if (existsSync(join(folder, LANDED))) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ViewRecord;
  } catch {
    return undefined; // it is missing, or the disk is broken
  }
}

/**
 * Number of indexes that have been created in it. The index that a killed process was writing may be locked, so its
 * number is not used again.
 */
export function deltasIn(folder: string, { deltas, parts }: ViewRecord): number {
  const files = parts.flatMap((_, number) => readdirSync(join(folder, "git", `part-${number}`)));
  return Math.max(deltas, ...files.map((name) => Number(/^delta-(\d+)/.exec(name)?.[1] ?? 0)));
}

/** Parts in the form of a record. */
export const takenParts = (parts: readonly Part[]): TakenPart[] =>
  parts.map(({ top, scope, base, baseIndex, excludes }) => ({
    top,
    scope,
    base,
    excludes,
    baseIndex: basename(baseIndex),
  }));

/** Views in a store that can be continued. */
export function leftViews(store: string): LeftView[] {
  return abandonedFolders(store).flatMap(({ folder, owner }) => {
    const record = recordIn(folder);
    if (!record) return [];
    const { kind, root, agent } = record;
    return [{ id: basename(folder), kind, root, isCutOff: owner?.isReleased !== true, ...(agent ? { agent } : {}) }];
  });
}

/** How to open the view in this folder again. */
export function continuedOpening(
  request: ViewRequest,
  folder: string,
  record: ViewRecord,
  processes: Processes,
): Opening {
  if (record.root !== request.root)
    throw new EnvError("io", `The isolated copy ${request.id} belongs to ${record.root}. Start there.`);
  const options = { ...request, folder: join(folder, "git"), processes, path: request.host.baseEnv["PATH"] };
  let parts: Part[] | undefined;
  return {
    request,
    folder,
    processes,
    isContinued: true,
    parts: async () => {
      parts ??= restoreParts(options, record.parts);
      return parts;
    },
  };
}

/** Whether something was changed in a view that was left. When in doubt, true: ignored files may be the only change. */
export async function isChanged(folder: string, record: ViewRecord, host: ViewHost): Promise<boolean> {
  if (record.kind === "overlay") return isLayerChanged(join(folder, "layers/0/upper"), record.root);
  const processes = new Processes({ clock: host.clock });
  const request: ViewRequest = {
    root: record.root,
    kind: record.kind,
    id: basename(folder),
    store: join(folder, ".."),
    host,
    signal: new AbortController().signal,
  };
  try {
    const opening = continuedOpening(request, folder, record, processes);
    const copy = await (record.kind === "reflink" ? makeReflink : makeWorktree)(opening);
    for (const part of await opening.parts()) {
      const index = join(part.git.gitDir, "left");
      const { tree, leftOut } = await retakePart(part, index, copySource(copy, part, record.root));
      if (tree !== part.base || leftOut.length > 0) return true;
    }
    return false;
  } catch (error) {
    if (!(error instanceof GitFailed || error instanceof EnvError)) throw error;
    return true;
  } finally {
    await processes.cleanup();
  }
}

function isLayerChanged(upper: string, lower: string): boolean {
  try {
    return isLayerUsed(upper, lower);
  } catch (error) {
    // Something in the view made a folder unreadable.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return true;
  }
}

/** A file, a deletion marker, or a folder that hides everything below. Git's own data does not count as work. */
function isLayerUsed(upper: string, lower: string): boolean {
  return readdirSync(upper, { withFileTypes: true }).some((entry) => {
    if (entry.name === ".git") return false;
    if (!entry.isDirectory()) return true;
    const [above, below] = [join(upper, entry.name), join(lower, entry.name)];
    if (readdirSync(above).length > 0) return isLayerUsed(above, below);
    return lstatSync(below, { throwIfNoEntry: false })?.isDirectory() === true && readdirSync(below).length > 0;
  });
}
