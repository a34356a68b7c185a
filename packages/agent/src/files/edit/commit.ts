// The only code of the edit core that writes files. All files are compared with the plan's originals before the first
// write; if a write fails, files already written are restored. Concurrent writes of other programs are kept, or
// reported as lost.

import { messageOf } from "@lathe/llm";
import { ToolFailure } from "../../contract/tool.ts";
import { EnvError, type ExecutionEnvironment, type WriteOptions } from "../../world/env/types.ts";
import { forEachBounded } from "./bounded-concurrency.ts";
import type { FileContent, StagedChange } from "./staged.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Journals commits of several files until they are complete. Without it, a kill may leave half of one. */
    readonly commitJournal?: OpenCommitJournal;
  }
}

/** Journals what is about to change, before the first write. */
export type OpenCommitJournal = (
  env: ExecutionEnvironment,
  changes: readonly JournalledChange[],
) => Promise<CommitJournal>;

/** A file before and after a commit; absent if the file does not exist. */
export interface JournalledChange {
  readonly target: { readonly real: string };
  readonly before?: JournalledFile;
  readonly after?: JournalledFile;
}

/** The content of a file. */
export interface JournalledFile {
  readonly bytes: Uint8Array;
  readonly mode?: number;
  readonly executable?: boolean;
}

/** A journalled commit. */
export interface CommitJournal {
  /** Name for the next temporary file, which is removed if this process is killed. */
  readonly nextTemporary: () => string | undefined;
  readonly noteWritten: (change: JournalledChange) => void;
  /** After this, nothing is undone. */
  readonly close: () => Promise<void>;
}

/**
 * Returns the changes that were made, but overwrote a concurrent write of another program. With `openJournal`, a kill
 * leaves either all of a commit of several files or nothing.
 */
export async function commitChanges(
  env: ExecutionEnvironment,
  changes: readonly StagedChange[],
  signal: AbortSignal,
  openJournal?: OpenCommitJournal,
): Promise<ReadonlySet<StagedChange>> {
  refuseNesting(changes);
  await forEachBounded(changes, (change) => refuseRace(env, change));
  signal.throwIfAborted();
  // A single file is replaced atomically anyway.
  if (!openJournal || changes.length < 2) return writeAll(env, changes);
  const journal = await openJournal(env, changes);
  try {
    return await writeAll(env, changes, journal);
  } finally {
    await journal.close();
  }
}

async function writeAll(
  env: ExecutionEnvironment,
  changes: readonly StagedChange[],
  journal?: CommitJournal,
): Promise<ReadonlySet<StagedChange>> {
  const started: StagedChange[] = [];
  const overwrote = new Set<StagedChange>();
  let failed: { readonly change: StagedChange; readonly cause: unknown } | undefined;
  const write = async (change: StagedChange) => {
    if (failed) return;
    started.push(change);
    try {
      const temp = journal?.nextTemporary();
      if (change.after) await writeContent(env, change, change.after, { ...conditionOf(change), temp });
      else
        await env.deleteFile(change.target.real, {
          temp,
          ...(change.before ? { ifContent: change.before.bytes } : {}),
        });
      journal?.noteWritten(change);
    } catch (cause) {
      if (cause instanceof EnvError && cause.code === "overwrote") overwrote.add(change);
      else failed ??= { change, cause };
    }
  };
  // Removals last: a moved file exists twice for a moment rather than not at all.
  await forEachBounded(
    changes.filter((change) => change.after),
    write,
  );
  await forEachBounded(
    changes.filter((change) => !change.after),
    write,
  );
  if (failed) await restore(env, started, failed.change, failed.cause, journal);
  return overwrote;
}

function conditionOf({ before }: StagedChange): WriteOptions {
  if (!before) return { ifVersion: "absent" };
  return before.version === undefined ? {} : { ifVersion: before.version, ifContent: before.bytes };
}

/** One of the two paths would have to be a directory for the other. */
function refuseNesting(changes: readonly StagedChange[]): void {
  const written = new Map(changes.flatMap(({ after, target }) => (after ? [[target.real, target] as const] : [])));
  for (const [real, inner] of written) {
    for (let end = real.lastIndexOf("/"); end > 0; end = real.lastIndexOf("/", end - 1)) {
      const outer = written.get(real.slice(0, end));
      if (!outer) continue;
      throw new ToolFailure(
        `${outer.path} would be a file, so ${inner.path} cannot be created below it. Choose other names. Nothing was written.`,
      );
    }
  }
}

async function refuseRace(env: ExecutionEnvironment, { target, before }: StagedChange): Promise<void> {
  if (await holds(env, target.real, before?.bytes)) return;
  throw new ToolFailure(
    `${target.path} was changed by another program while this edit was being prepared. Read it again and repeat the edit. Nothing was written.`,
  );
}

/** Whether the file has exactly these bytes, or does not exist if there are none. */
async function holds(env: ExecutionEnvironment, path: string, bytes: Uint8Array | undefined): Promise<boolean> {
  if (!bytes) return !(await env.fileExists(path));
  try {
    return Buffer.compare(bytes, await env.readBytes(path)) === 0;
  } catch (error) {
    if (error instanceof EnvError && error.code === "not_found") return false;
    throw error;
  }
}

/** Whether the file is as this call left it; `inPart`: a write in place may have stopped halfway. */
async function holdsOurs(
  env: ExecutionEnvironment,
  { target, after }: StagedChange,
  inPart: boolean,
): Promise<boolean> {
  if (!inPart || !after) return holds(env, target.real, after?.bytes);
  const bytes = await env.readBytes(target.real);
  return Buffer.compare(bytes, after.bytes.subarray(0, bytes.length)) === 0;
}

async function writeContent(
  env: ExecutionEnvironment,
  change: StagedChange,
  content: FileContent,
  condition: WriteOptions = {},
): Promise<void> {
  await env.writeFile(change.target.real, content.bytes, {
    ...condition,
    ...(content.mode === undefined ? {} : { mode: content.mode & 0o7777 }),
    ...(content.executable ? { executable: true } : {}),
  });
}

async function restore(
  env: ExecutionEnvironment,
  started: readonly StagedChange[],
  failed: StagedChange,
  cause: unknown,
  journal: CommitJournal | undefined,
): Promise<never> {
  const reason = messageOf(cause);
  const lost: string[] = [];
  for (const change of [...started].reverse()) {
    if (change === failed && cause instanceof EnvError && cause.code === "changed") continue;
    try {
      if (await holds(env, change.target.real, change.before?.bytes)) continue;
      // Another process or agent has written the file since: we must not overwrite its content.
      if (!(await holdsOurs(env, change, change === failed))) {
        lost.push(change.target.path);
        continue;
      }
      if (change.before) await writeContent(env, change, change.before, { temp: journal?.nextTemporary() });
      else await env.deleteFile(change.target.real);
    } catch {
      // Reported below: the call has already failed, and the reader needs the names of all files in doubt.
      lost.push(change.target.path);
    }
  }
  const state =
    lost.length === 0
      ? "Everything is as it was before the call."
      : `These files could not be restored; check them: ${lost.join(", ")}.`;
  throw new ToolFailure(`${failed.target.path} could not be written: ${reason} ${state}`, {
    effects: lost.length === 0 ? "none" : "unknown",
  });
}
