// `--run-id`: starting a run twice with the same id is one run. The journal's path is derived from the id, so it is
// found without an index; the journal also holds the result.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { FileStore, type InputContent, Journal } from "@lathe/agent";
import type { CustomEntry, MessageEntry } from "@lathe/agent/contract";
import { hasBegun, sessionFolderName } from "@lathe/agent/record";
import { textOf } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import goOn from "../../conversation/go-on.md";
import { type DeniedCall, UNATTENDED } from "../../found/permissions/permissions.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { callsIn } from "../../sessions/call-results.ts";
import { existingJournal, journalDeps, newJournal, type OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { isRunResult, type RunResult } from "./result.ts";

export const RESULT_ENTRY = "lathe:result";

interface RunName {
  readonly runId: string;
  readonly sessionId: string;
  readonly digest: string;
  readonly path: string;
}

export type NamedRun =
  | (RunName & { readonly state: "new" })
  | { readonly state: "finished"; readonly result: RunResult }
  | (RunName & {
      readonly state: "unfinished";
      /** Number of prompts that were sent to the model. */
      readonly begun: number;
      readonly denied: readonly DeniedCall[];
    });

/**
 * Refuses an id that was used with other prompts. A run that is still running is refused when its journal is opened.
 */
export async function lookUpRun(
  workspace: Workspace,
  options: CliOptions,
  prompts: readonly InputContent[],
): Promise<NamedRun> {
  const runId = options["run-id"] ?? "";
  const { continue: last, resume, session, fork } = options;
  if (last || resume !== undefined || session !== undefined || fork || options["no-session"]) {
    throw usageError("--run-id uses its own session. Remove --continue, --resume, --session, --fork and --no-session.");
  }
  const sessionId = sessionIdOf(runId, workspace.cwd);
  const path = join(workspace.paths.sessions, sessionFolderName(workspace.cwd), `run_${sessionId}.jsonl`);
  const name = { runId, sessionId, digest: digestOf(prompts), path };
  if (!hasBegun(path)) return { ...name, state: "new" };
  const journal = Journal.open(new FileStore(path), journalDeps(workspace));
  try {
    if (journal.header.runDigest !== name.digest) {
      throw usageError(`Run "${runId}" was started with another prompt. Use another --run-id for this prompt.`);
    }
    const result = storedResult(journal);
    return result ? { state: "finished", result } : { ...name, state: "unfinished", ...progress(journal) };
  } finally {
    await journal.close();
  }
}

/** Creates the journal at once, so that no second process begins the same run. */
export function journalOf(workspace: Workspace, run: Exclude<NamedRun, { state: "finished" }>): OpenedJournal {
  if (run.state === "unfinished") return existingJournal(workspace, run.path);
  const header = { id: run.sessionId, runId: run.runId, runDigest: run.digest };
  const opened = newJournal(workspace, header, run.path);
  opened.journal.persist();
  return opened;
}

function storedResult(journal: Journal): RunResult | undefined {
  let found: RunResult | undefined;
  for (const id of journal.entryIds()) {
    if (journal.meta(id)?.type !== "custom") continue;
    const entry = journal.entry(id) as CustomEntry;
    const data: unknown = entry.data;
    if (entry.customType === RESULT_ENTRY && isRunResult(data)) found = data;
  }
  return found;
}

function progress(journal: Journal): { begun: number; denied: DeniedCall[] } {
  let begun = 0;
  const tools = new Map<string, string>();
  for (const id of journal.entryIds()) {
    for (const call of callsIn(journal, id)) tools.set(call.id, call.name);
    if (journal.meta(id)?.type !== "message") continue;
    const { message, origin } = journal.entry(id) as MessageEntry;
    if (origin === "input" && textOf(message) !== goOn.trim()) begun += 1;
  }
  const denied: DeniedCall[] = [];
  for (const { callId, by, reason = "" } of journal.outside("decision")) {
    if (by === UNATTENDED) denied.push({ callId, tool: tools.get(callId) ?? "", reason });
  }
  return { begun, denied };
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

/** An id in the form of a UUID; the same name in another directory is a different run. */
function sessionIdOf(runId: string, cwd: string): string {
  const hex = createHash("sha256").update(`${cwd}\0${runId}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
