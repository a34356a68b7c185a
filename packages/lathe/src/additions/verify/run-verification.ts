// Runs one verification of a session's work: where its checks run, with which files, and what must end first.

import { LocalEnvironment, type Session } from "@lathe/agent";
import type { Check, VerifyReport } from "@lathe/agent/verify";
import { personalIgnoreFile } from "@lathe/agent/world";
import type { ClientDeps } from "@lathe/llm";
import { storeOf } from "../../changes/isolation/view-store.ts";
import { hostOptions, sandboxOptions } from "../../config/workspace/this-machine.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { Work, WorkSource } from "./work.ts";

/** How long to wait for jobs to end. */
const JOBS_MS = 10_000;

export interface VerificationOrder {
  readonly source: WorkSource;
  readonly work: Work;
  readonly checks: readonly Check[];
  /** Part of the names of its views; unique in this process and session. */
  readonly name: string;
  /** Run the checks even if nothing was changed. */
  readonly runsUnchanged?: boolean;
  readonly signal: AbortSignal;
}

export async function runVerification(
  { workspace, session }: { readonly workspace: SessionWorkspace; readonly session: Session },
  { source, work, checks, name, runsUnchanged = false, signal }: VerificationOrder,
): Promise<VerifyReport> {
  const [{ verify }, { workRoot }] = await Promise.all([import("@lathe/agent/verify"), import("./work.ts")]);
  const { cwd, settings, machine } = workspace;
  const root = source.isOnDisk ? workRoot(workspace) : cwd;
  const host = hostOptions(workspace, () => {});
  const sandbox = sandboxOptions(workspace);
  // If the session is sandboxed, checks must run in a view: in the project they would be unconfined.
  const project = sandbox ? undefined : new LocalEnvironment({ ...host, cwd });
  try {
    return await verify({
      place: {
        ...{ root, cwd, store: storeOf(workspace), host, sandbox, project },
        id: `${name}-${session.id.slice(0, 8)}-${machine.pid}`,
        personalIgnores: personalIgnoreFile(workspace.env),
      },
      checks,
      changes: work.changes,
      runsUnchanged,
      isOnDisk: source.isOnDisk,
      tests: settings["verify.tests"],
      before: source.before,
      since: source.since,
      home: machine.userHome,
      onStart: (run) => session.journal.write({ type: "host", kind: "check_started", data: { ...run } }),
      signal,
    });
  } finally {
    await project?.cleanup();
  }
}

/** Makes sure that nothing changes files any more: background jobs get a moment to end, and are then stopped. */
export async function endJobs(session: Session, setTimer: ClientDeps["setTimer"]): Promise<void> {
  await endRunningJobs(session, setTimer);
  const ended = (await session.env.endLeftBehind?.()) ?? 0;
  if (ended > 0)
    session.warn(
      `Stopped before the checks ran: programs that commands left in the background (${ended}).`,
      "jobs_stopped",
    );
}

async function endRunningJobs({ beside, warn }: Session, setTimer: ClientDeps["setTimer"]): Promise<void> {
  const running = beside.jobs?.runningJobs() ?? [];
  if (running.length === 0) return;
  const ended = Promise.allSettled(running.map(({ handle }) => handle.done));
  let timer: { cancel(): void } | undefined;
  await Promise.race([ended, new Promise<void>((resolve) => (timer = setTimer(resolve, JOBS_MS)))]);
  timer?.cancel();
  const left = running.filter(({ handle }) => handle.running);
  await Promise.all(left.map(({ handle }) => handle.stop()));
  if (left.length > 0)
    warn(`Stopped before the checks ran: ${left.map(({ handle }) => handle.command).join("; ")}`, "jobs_stopped");
}
