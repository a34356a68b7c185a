// Journals a commit of several files before its first write, so that after a kill either all of it is there or nothing:
// the next session undoes an incomplete commit (`recoverStore`). For files that are not on this machine's disk, we can
// only report what was written.

import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@lathe/llm";
import { ToolFailure } from "../../contract/tool.ts";
import { runnable } from "../../world/env/file-mode.ts";
import { isInside } from "../../world/env/is-inside.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { CommitJournal, JournalledChange, OpenCommitJournal } from "../edit/commit.ts";
import { closeJournal, type LandingStep, type PathState, temporaryPrefix, writeJournal } from "./landing-journal.ts";
import { claimFolder, FAR_COMMIT, FAR_WRITTEN, removeFolder } from "./view-folder.ts";

/** `store`: the project's folder of journals; `recoverStore` undoes the incomplete commits in it. */
export const commitJournalIn =
  (store: string): OpenCommitJournal =>
  (env, changes) =>
    openCommitJournal(env, store, changes);

async function openCommitJournal(
  env: ExecutionEnvironment,
  store: string,
  changes: readonly JournalledChange[],
): Promise<CommitJournal> {
  const id = `commit-${randomUUID()}`;
  const paths = await Promise.all(changes.map((change) => pathOnDisk(env, change)));
  try {
    const folder = claimFolder(store, id);
    const close = async (): Promise<void> => {
      closeJournal(folder);
      await removeFolder(folder);
    };
    try {
      if (paths.includes(undefined)) return { ...openFar(folder, changes), close };
      const steps = changes.map((change, index) => stepOf(change, paths[index]!));
      // The sandbox's private folders vanish with it.
      const lasting = steps.filter((_, index) => !isPrivate(env, changes[index]!));
      writeJournal(folder, id, lasting);
      let count = 0;
      return { nextTemporary: () => `${temporaryPrefix(id)}${++count}.tmp`, noteWritten: () => {}, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    throw new ToolFailure(
      `The files were not written, because their content could not be saved in ${store} first: ${messageOf(error)}. Nothing was written.`,
    );
  }
}

/** Also undefined if the file may not be opened; the write then reports why. */
async function pathOnDisk(env: ExecutionEnvironment, { target }: JournalledChange): Promise<string | undefined> {
  return env.localPath?.(target.real, "read").catch(() => undefined);
}

const isPrivate = ({ privateFolders = [] }: ExecutionEnvironment, { target }: JournalledChange): boolean =>
  privateFolders.some((folder) => isInside(target.real, folder));

function stepOf({ before, after }: JournalledChange, path: string): LandingStep {
  let top = dirname(path);
  while (!existsSync(top)) top = dirname(top);
  const mode = after?.mode ?? before?.mode ?? 0o644;
  return {
    path,
    top,
    before: foundOf(before?.bytes, before?.mode ?? 0o644),
    after: foundOf(after?.bytes, after?.executable ? runnable(mode) : mode),
  };
}

const foundOf = (bytes: Uint8Array | undefined, mode: number): PathState =>
  bytes ? { kind: "file", mode: mode & 0o7777, bytes } : { kind: "absent" };

function openFar(folder: string, changes: readonly JournalledChange[]): Omit<CommitJournal, "close"> {
  writeFileSync(join(folder, FAR_COMMIT), `${JSON.stringify(changes.map(({ target }) => target.real))}\n`);
  return {
    nextTemporary: () => undefined,
    noteWritten: ({ target }) => {
      try {
        appendFileSync(join(folder, FAR_WRITTEN), `${JSON.stringify(target.real)}\n`);
      } catch {
        // The file is written anyway; if this process is killed, it is listed among the files to check.
      }
    },
  };
}
