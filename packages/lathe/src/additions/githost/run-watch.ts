// Waits for CI: checks every few seconds until everything has succeeded or something has failed, then fetches the logs
// of failed jobs.

import { ToolFailure } from "@lathe/agent";
import type { CiHost, CiJob, CiRun } from "./ci-hosts.ts";
import { isTemporary } from "./host-api.ts";

export interface WatchTimes {
  readonly pollMs: number;
  /** If no run has started after this time, the commit has none. */
  readonly startMs: number;
  /** The longest time that a watch waits. */
  readonly mostMs: number;
  /** The pause after the first failure, so that simultaneous failures are reported together. */
  readonly graceMs: number;
}

export const WATCH_TIMES: WatchTimes = { pollMs: 3_000, graceMs: 5_000, startMs: 120_000, mostMs: 6 * 3_600_000 };

/** Failed requests in a row before the watch gives up, because hosts sometimes fail for a moment. */
const MOST_FAILURES = 5;

/** One run by its number, or all runs of a commit. */
export type Watched = { readonly run: number } | { readonly commit: string; readonly branch: string };

export interface FailedJob {
  readonly run: CiRun;
  readonly job: CiJob;
  /** Undefined if the host did not return it. */
  readonly log: string | undefined;
}

export interface WatchEnd {
  readonly runs: readonly CiRun[];
  readonly failed: readonly FailedJob[];
}

export interface WatchParts {
  readonly ci: CiHost;
  readonly times: WatchTimes;
  /** Rejects when the watch is over. */
  wait(ms: number): Promise<void>;
  /** Reports the state whenever it has changed. */
  onChange(text: string): void;
}

const isFailed = ({ state }: { readonly state: string }): boolean => state === "failure";

export async function watchRuns(watched: Watched, parts: WatchParts): Promise<WatchEnd> {
  const { ci, times, wait } = parts;
  const readRuns = (): Promise<readonly CiRun[]> => readWithRetries(watched, parts);
  let waited = 0;
  let shown = "";
  const show = (runs: readonly CiRun[], note = ""): void => {
    const text = [...runs.flatMap(runLines), note].filter((line) => line !== "").join("\n");
    if (text !== shown) parts.onChange(`${text}\n`);
    shown = text;
  };
  let succeeded: string | undefined;
  for (;;) {
    const runs = await readRuns();
    show(runs, runs.length === 0 ? "No runs yet." : "");
    if (runs.some((run) => isFailed(run) || run.jobs.some(isFailed))) {
      const isOver = runs.every(({ state }) => state !== "waiting");
      if (isOver) return { runs, failed: await failedJobs(runs, ci) };
      show(runs, "A job failed; looking once more for others.");
      await wait(times.graceMs);
      const last = await readRuns();
      show(last);
      return { runs: last, failed: await failedJobs(last, ci) };
    }
    const isDone = runs.length > 0 && runs.every(({ state }) => state === "success");
    const ids = runs
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join(" ");
    // More runs of the same commit may start late, so two checks in a row must see the same runs.
    if (isDone && ("run" in watched || succeeded === ids)) return { runs, failed: [] };
    succeeded = isDone ? ids : undefined;
    if (waited >= (runs.length === 0 ? times.startMs : times.mostMs)) throw tooLongFailure(runs, times);
    await wait(times.pollMs);
    waited += times.pollMs;
  }
}

async function readWithRetries(watched: Watched, { ci, times, wait }: WatchParts): Promise<readonly CiRun[]> {
  for (let failures = 1; ; failures++) {
    try {
      return "run" in watched ? [await ci.run(watched.run)] : await ci.runsOf(watched.commit);
    } catch (error) {
      if (failures === MOST_FAILURES || !isTemporary(error)) throw error;
      await wait(times.pollMs);
    }
  }
}

function tooLongFailure(runs: readonly CiRun[], { startMs, mostMs }: WatchTimes): ToolFailure {
  if (runs.length === 0)
    return new ToolFailure(`No CI run of this commit began in ${startMs / 1000} seconds. Is CI set up for the branch?`);
  return new ToolFailure(`CI has not ended in ${mostMs / 3_600_000} hours: ${runs.map(({ url }) => url).join(", ")}`);
}

async function failedJobs(runs: readonly CiRun[], ci: CiHost): Promise<readonly FailedJob[]> {
  const jobs = runs.flatMap((run) => run.jobs.filter(isFailed).map((job) => ({ run, job })));
  return Promise.all(
    jobs.map(async ({ run, job }) => ({ run, job, log: await ci.log(job.id).catch(() => undefined) })),
  );
}

export const runLines = ({ name, id, said, url, jobs }: CiRun): string[] => [
  `${name} (run ${id}): ${said}${url === "" ? "" : ` ${url}`}`,
  ...jobs.map((job) => `  ${job.name}: ${job.said}`),
];

/** The last lines of a log, without the timestamps that GitHub puts before each line. */
export function tailOf(log: string, lines: number): string {
  const all = plainLog(log).replace(/\n+$/, "").split("\n");
  return all.slice(-lines).join("\n");
}

const plainLog = (log: string): string =>
  log
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /gm, "");

/** All logs, one after the other. */
export const wholeLogs = (failed: readonly FailedJob[]): string =>
  failed
    .map(
      ({ run, job, log }) =>
        `==> ${run.name} / ${job.name} <==\n${log === undefined ? "Full log unavailable." : plainLog(log)}`,
    )
    .map((text) => (text.endsWith("\n") ? text : `${text}\n`))
    .join("\n");
