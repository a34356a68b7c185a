// Runs a recording again: no network, no tools, no clock, and a temporary home. The journals of the session and its
// agents must come out the same, byte for byte.

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redactor } from "@lathe/agent/policy";
import { ReplayDivergence, Replayer } from "@lathe/agent/session";
import type { ClientDeps, ProviderAdapter } from "@lathe/llm";
import { openProvider } from "@lathe/llm/open";
import { withoutBroker } from "../../config/credentials/broker/variables.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { withSession } from "../../conversation/open-session.ts";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { Tape } from "../../conversation/tape.ts";
import { PRACTICE_PROVIDER } from "../../models/models.ts";
import { practiceAdapter } from "../../models/practice/adapter.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { existingJournal, newJournal, type OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { Run } from "../run.ts";
import { agentJournals, type RecordedSession, RecordFolder, sha256 } from "./folder.ts";
import { inMemoryJournal, journalBytes } from "./journal-bytes.ts";

export interface ReplayReport {
  readonly text: string;
  readonly lines: number;
  readonly sha256: string;
  /** Absent: the journal is identical. */
  readonly divergence?: string;
}

export async function replayRecording(machine: Machine, dir: string): Promise<ReplayReport> {
  const folder = new RecordFolder(dir);
  const recorded = folder.read();
  const home = mkdtempSync(join(tmpdir(), "lathe-replay-"));
  try {
    return await replayIn(home, machine, folder, recorded);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function replayIn(
  home: string,
  machine: Machine,
  folder: RecordFolder,
  { session: recorded, end, journal, agents }: ReturnType<RecordFolder["read"]>,
): Promise<ReplayReport> {
  const replayer = new Replayer(folder.path);
  const deps = { ...replayer.deps(machine.deps), env: end.env };
  const workspace = replayWorkspace(home, { ...machine, env: end.env, deps }, recorded);
  const opened = reopen(workspace, folder, recorded);
  const { model, limits, profile, tools, systemPrompt, userInstructions } = recorded;
  const request: SessionRequest = {
    model,
    limits,
    opened,
    adapter: await adapterOf(recorded, deps),
    tape: tapeOf(replayer, opened.folder),
    ...(profile === undefined ? {} : { profile }),
    ...(tools === undefined ? {} : { tools }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(userInstructions === undefined ? {} : { userInstructions }),
  };
  let divergence: string | undefined;
  const [text, again, agentsAgain] = await withSession(workspace, request, async ({ session }) => {
    await replayer.run(session).catch((error: unknown) => {
      if (!(error instanceof ReplayDivergence)) throw error;
      divergence = error.message;
    });
    const ofAgents = opened.folder === undefined ? new Map<string, Buffer>() : agentJournals(opened.folder);
    return [session.lastText(), journalBytes(opened), ofAgents] as const;
  });
  const difference = firstDifference(journal, again, "the journal") ?? agentDifference(agents, agentsAgain);
  if (difference !== undefined) divergence = divergence === undefined ? difference : `${divergence}; ${difference}`;
  return {
    text,
    lines: journal.toString("utf8").split("\n").length - 1,
    sha256: sha256(again),
    ...(divergence === undefined ? {} : { divergence }),
  };
}

function replayWorkspace(
  home: string,
  machine: Machine,
  { cwd, roots, settings, rules = [] }: RecordedSession,
): SessionWorkspace {
  const paths = homePaths({ LATHE_HOME: home }, home);
  const extensions = { files: [], flags: {} };
  const nothing = { project: {}, savedModel: "", settingsOrigin: new Map(), warnings: [], extensions };
  // The recording contains no secrets, and those of this machine are not used.
  const run = new Run(machine);
  const { reported: said } = run;
  const redactor = new Redactor();
  const env = withoutBroker(machine.env);
  const variables = { env, userEnv: env };
  return run.at({ ...nothing, ...variables, machine, cwd, roots, paths, settings, rules, redactor, reported: said });
}

function reopen(workspace: Workspace, folder: RecordFolder, { header }: RecordedSession): OpenedJournal {
  if (header === undefined) return inMemoryJournal(workspace);
  if (!existsSync(folder.before)) return newJournal(workspace, header);
  const { sessions, blobs } = workspace.paths;
  cpSync(folder.before, sessions, { recursive: true });
  cpSync(folder.blobs, blobs, { recursive: true });
  return existingJournal(workspace, join(sessions, "session.jsonl"));
}

async function adapterOf(
  { model, connection, credential }: RecordedSession,
  deps: ClientDeps,
): Promise<ProviderAdapter> {
  if (model.provider === PRACTICE_PROVIDER) return practiceAdapter();
  return openProvider(model.provider, {
    ...connection,
    deps,
    resolveKey: async () => ({ kind: credential, value: "recorded", source: "recording" }),
    model: (id) => (id === model.id ? model.info : undefined),
  });
}

function tapeOf(replayer: Replayer, beside: string | undefined): Tape {
  return {
    surroundings: (read) => replayer.takeOutcome(read),
    aroundAccess: replayer.aroundAccess,
    aroundExecute: async (call, run, nest) => {
      const result = await replayer.aroundExecute(call, run, nest);
      // Reserves the number of the artifact, which the tool wrote in the recorded run.
      if (result.artifact && beside !== undefined) {
        mkdirSync(beside, { recursive: true });
        writeFileSync(join(beside, `${result.artifact.id}.replayed.log`), "");
      }
      return result;
    },
  };
}

/**
 * An agent may have been working when the run ended: its journal must start with what was recorded, but may be longer.
 */
function agentDifference(
  recorded: ReadonlyMap<string, Buffer>,
  again: ReadonlyMap<string, Buffer>,
): string | undefined {
  for (const [name, journal] of recorded) {
    const part = again.get(name)?.subarray(0, journal.length) ?? Buffer.alloc(0);
    const difference = firstDifference(journal, part, `the journal of agent ${name.replace(/\.jsonl$/, "")}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function firstDifference(recorded: Buffer, again: Buffer, what: string): string | undefined {
  if (recorded.equals(again)) return undefined;
  const [before, after] = [recorded, again].map((bytes) => bytes.toString("utf8").split("\n"));
  const at = before?.findIndex((line, i) => line !== after?.[i]) ?? 0;
  return `line ${(at < 0 ? (before?.length ?? 0) : at) + 1} of ${what} differs from the recording`;
}
