// Views that outlive their process: what is written down about one while it is open, which of them were left in a store, and whether
// there is anything in them that the user would miss.

import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Processes } from "../../world/process/processes.ts";
import { EnvError } from "../../world/process/types.ts";
import { copySource, makeReflink, makeWorktree } from "./copies.ts";
import { GitFailed } from "./git-store.ts";
import type { Opening } from "./kinds.ts";
import { type Part, partsAgain, type TakenPart, takeAgain } from "./parts.ts";
import type { ViewAgent, ViewHost, ViewKind, ViewRequest } from "./types.ts";
import { abandonedFolders, LANDED, RECORD } from "./view-folder.ts";

/** A view that a process has left behind. */
export interface LeftView {
  readonly id: string;
  readonly kind: ViewKind;
  readonly root: string;
  /** Its process was killed; otherwise it was left on purpose. */
  readonly isCutOff: boolean;
  /** Whose work it is; absent for that of a whole run. */
  readonly agent?: ViewAgent | undefined;
}

/** What is written down about a view that is kept. */
export interface ViewRecord {
  readonly root: string;
  readonly kind: Exclude<ViewKind, "none" | "container">;
  /** So many indexes have been made in it. */
  readonly deltas: number;
  readonly parts: readonly TakenPart[];
  readonly agent?: ViewAgent | undefined;
}

/** Under another name first: half a record would be none. */
export function writeRecord(folder: string, record: ViewRecord): void {
  const file = join(folder, RECORD);
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Undefined for a view that is not kept, was still being opened, or whose work has landed. */
export function recordIn(folder: string): ViewRecord | undefined {
  const file = join(folder, RECORD);
  if (existsSync(join(folder, LANDED))) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ViewRecord;
  } catch {
    return undefined; // there is none, or a broken disk
  }
}

/** So many indexes have been made in it. One that a killed process was writing may be locked: its number is not used again. */
export function deltasIn(folder: string, { deltas, parts }: ViewRecord): number {
  const files = parts.flatMap((_, number) => readdirSync(join(folder, "git", `part-${number}`)));
  return Math.max(deltas, ...files.map((name) => Number(/^delta-(\d+)/.exec(name)?.[1] ?? 0)));
}

/** Parts as a record has them. */
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

/** The view in this folder, as it has to be opened again. */
export function continuedOpening(
  request: ViewRequest,
  folder: string,
  record: ViewRecord,
  processes: Processes,
): Opening {
  if (record.root !== request.root)
    throw new EnvError("io", `The view ${request.id} is one of ${record.root}. Start there.`);
  const options = { ...request, folder: join(folder, "git"), processes, path: request.host.baseEnv["PATH"] };
  let parts: Part[] | undefined;
  return {
    request,
    folder,
    processes,
    isContinued: true,
    parts: async () => {
      parts ??= partsAgain(options, record.parts);
      return parts;
    },
  };
}

/** Whether something was changed in a view that was left. When in doubt, yes: ignored files may be all there is. */
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
      const { tree, leftOut } = await takeAgain(part, index, copySource(copy, part, record.root));
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
    // A folder that may not be read: something has made it so.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return true;
  }
}

/** A file, a mark that says that one is gone, or a folder that hides all that is below. Git's own data is no work. */
function isLayerUsed(upper: string, lower: string): boolean {
  return readdirSync(upper, { withFileTypes: true }).some((entry) => {
    if (entry.name === ".git") return false;
    if (!entry.isDirectory()) return true;
    const [above, below] = [join(upper, entry.name), join(lower, entry.name)];
    if (readdirSync(above).length > 0) return isLayerUsed(above, below);
    return lstatSync(below, { throwIfNoEntry: false })?.isDirectory() === true && readdirSync(below).length > 0;
  });
}
