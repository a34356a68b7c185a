// A commit of several files is written down before its first write, so that after a kill all of it is there or nothing: the next
// session undoes what was begun (`recoverStore`). Of files that are not on this machine's disk it can only be said what was written.

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

/** `store`: the folder of journals of the project; `recoverStore` undoes what is found there. */
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
      // The sandbox's own folders are gone with it.
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
      `The files were not written: what they hold could not be kept in ${store} first: ${messageOf(error)}. Nothing was written.`,
    );
  }
}

/** Undefined also when it may not be opened: the write says why. */
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
        // The file is written all the same; should we be killed, it is named among those to look at.
      }
    },
  };
}
