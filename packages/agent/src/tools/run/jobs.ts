// Background commands by number. The environment owns the processes; this remembers them, how far the model has read,
// and whether it knows how each ended. If a command ends while no call waits for it, the session tells the model.

import { ToolFailure } from "../../contract/tool.ts";
import { artifactNotice } from "../../record/artifacts/notice.ts";
import type { BackgroundCommand, ExecResult } from "../../world/env/types.ts";
import { plainOutput } from "./plain-output.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly jobs?: Jobs;
    /** When commands go to the background. */
    readonly background?: BackgroundRules;
  }
}

/** When commands go to the background, and how long one call waits for them. */
export interface BackgroundRules {
  /** The model may ask to run a command in the background. */
  readonly onRequest: boolean;
  /** A command becomes a background job once a call has waited for it this long; 0: never. */
  readonly afterMs: number;
  /** How long a call waits for jobs unless it says otherwise. */
  readonly pollMs: number;
}

/** Stores output that no longer fits in memory. `id` is the artifact, once there is one. */
export interface JobSpill {
  readonly id: number | undefined;
}

/** A command that runs or ran in the background. */
export interface Job {
  readonly id: number;
  readonly handle: BackgroundCommand;
  readonly spill?: JobSpill | undefined;
  /** The byte offset up to which the model has read. */
  read: number;
  /** A caller asked to end the job. */
  isCancelled: boolean;
  /** The model knows how it ended, or need not know. */
  isSeen: boolean;
  result?: ExecResult;
  failure?: string;
}

/** Whether a job runs, or how it ended. */
export type JobState = "running" | "completed" | "failed" | "cancelled";

/** Follows the jobs of a session: exactly one `ended` for each `started`. */
export interface JobFollower {
  onStart(job: Job): void;
  onEnd(job: Job): void;
  /** The job has ended and no call saw it end. Called at most once per job. */
  news(job: Job): void;
}

/** What a call waits for: the first job to end, a matching line, its time limit, `enough` or its abort. */
export interface JobWait {
  readonly ms: number;
  readonly signal: AbortSignal;
  readonly enough?: AbortSignal | undefined;
  readonly pattern?: RegExp | undefined;
}

/** How a job is handled. */
export interface JobOptions {
  readonly spill?: JobSpill | undefined;
  /** The model is not told when the job ends. */
  readonly isQuiet?: boolean | undefined;
}

/** The default for hosts that set no limit. */
export const MOST_RUNNING = 15;
/** Each ended job may hold megabytes of output, and some profiles run every command as a job. */
const MOST_ENDED = 20;
const LOOK_EVERY_MS = 100;

/** The background commands of a session. Share one object to keep them when a session is replaced. */
export class Jobs {
  readonly #jobs = new Map<number, Job>();
  readonly #watched = new Map<Job, number>();
  readonly #mostRunning: () => number;
  #follower: JobFollower | undefined;
  #started = 0;

  constructor(mostRunning: () => number = () => MOST_RUNNING) {
    this.#mostRunning = mostRunning;
  }

  follow(follower: JobFollower): void {
    this.#follower = follower;
  }

  /** Skips the numbers up to this one, which jobs of an earlier process used. */
  skipTo(id: number): void {
    this.#started = Math.max(this.#started, id);
  }

  start(command: string, launch: (command: string) => BackgroundCommand, options: JobOptions = {}): Job {
    const running = this.list().filter((job) => job.handle.running);
    if (running.length >= this.#mostRunning()) {
      throw new ToolFailure(
        `${running.length} jobs are running already (${running.map((job) => job.id).join(", ")}). Stop one first.`,
      );
    }
    const ended = this.list().filter((job) => !job.handle.running);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) this.#jobs.delete(id);
    return this.#keep(launch(command), 0, options);
  }

  /** Takes over a running command. What it has printed so far counts as read. */
  adopt(handle: BackgroundCommand, options: JobOptions = {}): Job {
    return this.#keep(handle, handle.read().next, options);
  }

  #keep(handle: BackgroundCommand, read: number, { spill, isQuiet = false }: JobOptions): Job {
    const job: Job = { id: this.#started + 1, handle, spill, read, isCancelled: false, isSeen: isQuiet };
    this.#started = job.id;
    job.handle.done.then(
      (result) => {
        job.result = result;
        this.#endJob(job);
      },
      (error: Error) => {
        job.failure = error.message;
        this.#endJob(job);
      },
    );
    this.#jobs.set(job.id, job);
    this.#follower?.onStart(job);
    return job;
  }

  #endJob(job: Job): void {
    this.#follower?.onEnd(job);
    this.#tell(job);
  }

  /** Reports the end, unless a caller waits for the job and sees the end itself. */
  #tell(job: Job): void {
    if (job.isSeen || this.#watched.has(job)) return;
    job.isSeen = true;
    this.#follower?.news(job);
  }

  get(id: number): Job {
    const job = this.#jobs.get(id);
    if (job) return job;
    if (id >= 1 && id <= this.#started) throw new ToolFailure(`Job ${id} has ended; its output is no longer kept.`);
    const which =
      this.#started > 0 ? `. Known jobs: ${[...this.#jobs.keys()].join(", ")}.` : "; none has been started.";
    throw new ToolFailure(`There is no job ${id}${which}`);
  }

  find(id: number): Job | undefined {
    return this.#jobs.get(id);
  }

  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  runningJobs(): readonly Job[] {
    return this.list().filter((job) => jobState(job) === "running");
  }

  /**
   * Waits, then calls `look`. `look` handles jobs that end during the wait; ends that it did not take, or could not
   * because the call was aborted, are reported as news.
   */
  async watch<T>(jobs: readonly Job[], wait: JobWait, look: () => T): Promise<Awaited<T>> {
    for (const job of jobs) this.#watched.set(job, (this.#watched.get(job) ?? 0) + 1);
    try {
      await firstEvent(jobs, wait);
      wait.signal.throwIfAborted();
      return await look();
    } finally {
      for (const job of jobs) this.#unwatch(job);
    }
  }

  #unwatch(job: Job): void {
    const others = (this.#watched.get(job) ?? 1) - 1;
    if (others > 0) this.#watched.set(job, others);
    else {
      this.#watched.delete(job);
      if (jobState(job) !== "running") this.#tell(job);
    }
  }

  /** Ends the job with everything that it started. `isSeen`: the caller tells the model. */
  async cancel(job: Job, isSeen: boolean): Promise<void> {
    if (jobState(job) === "running") job.isCancelled = true;
    job.isSeen ||= isSeen;
    await job.handle.stop();
    await job.handle.done.catch(() => undefined);
  }
}

function firstEvent(jobs: readonly Job[], { ms, signal: aborted, enough, pattern }: JobWait): Promise<void> {
  const signal = enough ? AbortSignal.any([aborted, enough]) : aborted;
  if (ms <= 0 || signal.aborted || (jobs.length === 0 && !enough) || jobs.some((job) => jobState(job) !== "running"))
    return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      clearInterval(looking);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    const isFound = pattern && lineMatcher(jobs, pattern);
    const looking = isFound && setInterval(() => isFound() && finish(), LOOK_EVERY_MS);
    signal.addEventListener("abort", finish, { once: true });
    for (const { handle } of jobs) handle.done.then(finish, finish);
    if (isFound?.()) finish();
  });
}

/** Matches output that the model has not read: each line once, an unfinished line again each time. */
function lineMatcher(jobs: readonly Job[], pattern: RegExp): () => boolean {
  const seen = new Map(jobs.map((job) => [job, { next: job.read, rest: "" }]));
  return () =>
    jobs.some((job) => {
      const { next: from, rest } = seen.get(job)!;
      const { text, next } = job.handle.read(from);
      if (text === "") return false;
      const lines = (rest + text).split("\n");
      seen.set(job, { next, rest: lines.at(-1)! });
      return lines.some((line) => pattern.test(plainOutput(line)));
    });
}

/** Whether the job runs, or how it ended. */
export function jobState(job: Job): JobState {
  if (job.failure !== undefined) return "failed";
  if (!job.result) return "running";
  if (job.isCancelled) return "cancelled";
  return job.result.exitCode === 0 ? "completed" : "failed";
}

/** One line: running, or how it ended. */
export function jobStatus(job: Job): string {
  if (job.failure !== undefined) return `could not start: ${job.failure}`;
  if (!job.result) return "running";
  const { signal, exitCode, durationMs, note } = job.result;
  const ended = signal ? `ended by ${signal} after ${durationMs} ms` : `exit code: ${exitCode}, ${durationMs} ms`;
  return note === undefined ? ended : `${ended}. ${note}`;
}

/** The output since the model last looked, as text. If the job has ended, the model counts as having seen the end. */
export async function takeOutput(job: Job): Promise<string> {
  const { text, next, missed } = job.handle.read(job.read);
  job.read = next;
  if (jobState(job) !== "running") job.isSeen = true;
  // Output to a terminal moves its cursor about, so we return the text that the screen shows.
  if (job.handle.screen) return (await job.handle.screen()).text;
  return lostNote(job, missed) + plainOutput(text);
}

function lostNote({ spill }: Job, missed: number): string {
  if (missed === 0) return "";
  return spill?.id === undefined
    ? `[${missed} earlier bytes are no longer available]\n`
    : `[${missed} earlier bytes are not shown]\n${artifactNotice(spill.id)}\n`;
}
