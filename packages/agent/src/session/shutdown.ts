// Ends a session: cancels stream and tools, ends processes, closes children, then emits session_end and closes. The
// whole takes at most 5 s.

import type { HostChoices, SessionLog, Toolbox, Work } from "./facades.ts";

const LIMIT_MS = 4500;

export interface ShutdownSteps {
  readonly reason: "closed" | "aborted" | "error";
  readonly error?: string;
  readonly stopInput: () => void;
  readonly runningInput: () => Promise<void> | undefined;
  readonly closeChildren: () => Promise<void>;
}

export async function shutDown(core: SessionLog & HostChoices & Toolbox & Work, steps: ShutdownSteps): Promise<void> {
  steps.stopInput();
  const parts = [steps.closeChildren(), steps.runningInput() ?? Promise.resolve()];
  // A shared environment outlives this session, so we end only what the session left running there.
  parts.push(core.options.sharedEnv ? stopJobs(core) : core.options.env.cleanup());
  const { parser } = core.services;
  if (parser && !core.options.services?.parser) parts.push(parser.close());
  const hostsEnd = Promise.allSettled(parts).then(() => core.options.beforeClose?.());
  const problems = await settleWithin(core, [...parts, hostsEnd]);
  try {
    await core.journal.close();
  } catch (error) {
    problems.push(String(error));
  }
  for (const problem of problems) core.warn(problem, "shutdown");
  core.setState("closed");
  core.emit("session_end", {
    state: "closed",
    reason: steps.reason,
    ...(steps.error === undefined ? {} : { error: steps.error }),
  });
}

/** Jobs that the host keeps for several sessions belong to the host. */
async function stopJobs({ options, services }: HostChoices & Toolbox): Promise<void> {
  const jobs = options.services?.jobs ? [] : (services.jobs?.list() ?? []);
  await Promise.all(jobs.map(({ handle }) => handle.stop()));
}

async function settleWithin(core: HostChoices, parts: readonly Promise<unknown>[]): Promise<string[]> {
  const late = `the session's work did not end within ${LIMIT_MS} ms and was abandoned`;
  return new Promise((resolve) => {
    const timer = core.deps.setTimer(() => resolve([late]), LIMIT_MS);
    void Promise.allSettled(parts).then((outcomes) => {
      timer.cancel();
      resolve(outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : [])));
    });
  });
}
