// `--run-id`: the same run asked for twice is one run. The session's id is made from the run's name, so its file is found
// without an index; what the run ended with is an entry of its journal.

import { createHash } from "node:crypto";
import { type CustomEntry, FileStore, type InputContent, Journal, JournalError, readHead } from "@lathe/agent";
import { usageError } from "../cli/exit.ts";
import { sessionFiles } from "../sessions/files.ts";
import { idOf } from "../sessions/find.ts";
import { journalDeps } from "./journal-files.ts";
import type { RunResult } from "./result.ts";
import type { Workspace } from "./workspace.ts";

export const RESULT_ENTRY = "lathe:result";

export type NamedRun =
  | { readonly state: "new"; readonly sessionId: string; readonly digest: string }
  | { readonly state: "finished"; readonly result: RunResult }
  | { readonly state: "cut"; readonly path: string };

/** A run that is still going on, or one of that name with other prompts, is refused. */
export async function lookUpRun(
  workspace: Workspace,
  runId: string,
  prompts: readonly InputContent[],
): Promise<NamedRun> {
  const digest = digestOf(prompts);
  const sessionId = sessionIdOf(runId, workspace.cwd);
  const file = sessionFiles(workspace.paths.sessions, workspace.cwd).find(({ path }) => idOf(path) === sessionId);
  if (!file) return { state: "new", sessionId, digest };
  if (readHead(file.path)?.header.runDigest !== digest) {
    throw usageError(`Run "${runId}" was started with another prompt. Use another --run-id for this one.`);
  }
  const result = await storedResult(workspace, file.path);
  return result ? { state: "finished", result } : { state: "cut", path: file.path };
}

async function storedResult(workspace: Workspace, path: string): Promise<RunResult | undefined> {
  const journal = Journal.open(new FileStore(path), journalDeps(workspace));
  try {
    let found: RunResult | undefined;
    for (const id of journal.entryIds()) {
      if (journal.meta(id)?.type !== "custom") continue;
      const entry = journal.entry(id) as CustomEntry;
      if (entry.customType === RESULT_ENTRY) found = entry.data as unknown as RunResult;
    }
    return found;
  } finally {
    await journal.close();
  }
}

/** What a locked journal of a named run means to the user. */
export function refuseLiveRun(error: unknown, runId: string): never {
  if (error instanceof JournalError && error.code === "locked") {
    throw usageError(`Run "${runId}" is going on in another process. Wait for it, or use another --run-id.`);
  }
  throw error;
}

function digestOf(prompts: readonly InputContent[]): string {
  const hash = createHash("sha256");
  for (const prompt of prompts) {
    hash.update("\0prompt\0");
    if (typeof prompt === "string") hash.update(prompt);
    else for (const part of prompt) hash.update(part.kind === "image" ? (part.image.data ?? "") : JSON.stringify(part));
  }
  return hash.digest("hex");
}

/** In the form of a UUID; the same name in another directory is another run. */
function sessionIdOf(runId: string, cwd: string): string {
  const hex = createHash("sha256").update(`${cwd}\0${runId}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
