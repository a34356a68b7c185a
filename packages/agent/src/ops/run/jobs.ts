// Commands that run in the background, by number. The environment owns the processes; this remembers which is which and
// how far the model has read.

import { ToolFailure } from "../../contract/tool.ts";
import type { BackgroundCommand, ExecResult } from "../../env/types.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly jobs?: Jobs;
  }
}

/** A command that runs in the background, or has ended there. */
export interface Job {
  readonly id: number;
  readonly handle: BackgroundCommand;
  /** Byte offset the model has read up to. */
  read: number;
  result?: ExecResult;
  failure?: string;
}

const MOST_RUNNING = 16;
/** Each may hold megabytes of output, and some profiles run every command as a job. */
const MOST_ENDED = 20;

/** The background commands of a session; share one object to keep them when a session is replaced. */
export class Jobs {
  readonly #jobs = new Map<number, Job>();
  #started = 0;

  start(command: string, launch: (command: string) => BackgroundCommand): Job {
    const running = this.list().filter((job) => job.handle.running);
    if (running.length >= MOST_RUNNING) {
      throw new ToolFailure(
        `${MOST_RUNNING} jobs are running already (${running.map((job) => job.id).join(", ")}). Stop one with job_stop first.`,
      );
    }
    const ended = this.list().filter((job) => !job.handle.running);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) this.#jobs.delete(id);
    return this.#keep(launch(command), 0);
  }

  /** A command that runs already; what it has printed so far has been read. */
  adopt(handle: BackgroundCommand): Job {
    return this.#keep(handle, handle.read().next);
  }

  #keep(handle: BackgroundCommand, read: number): Job {
    const job: Job = { id: this.#started + 1, handle, read };
    this.#started = job.id;
    job.handle.done.then(
      (result) => {
        job.result = result;
      },
      (error: Error) => {
        job.failure = error.message;
      },
    );
    this.#jobs.set(job.id, job);
    return job;
  }

  get(id: number): Job {
    const job = this.#jobs.get(id);
    if (job) return job;
    if (id >= 1 && id <= this.#started) throw new ToolFailure(`Job ${id} has ended; its output is no longer kept.`);
    const which =
      this.#started > 0 ? `. Known jobs: ${[...this.#jobs.keys()].join(", ")}.` : "; none has been started.";
    throw new ToolFailure(`There is no job ${id}${which}`);
  }

  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }
}

/** One line: running, or how it ended. */
export function jobStatus(job: Job): string {
  if (job.failure !== undefined) return `could not start: ${job.failure}`;
  if (!job.result) return "running";
  const { signal, exitCode, durationMs, note } = job.result;
  const ended = signal ? `ended by ${signal} after ${durationMs} ms` : `exit code: ${exitCode}, ${durationMs} ms`;
  return note === undefined ? ended : `${ended}. ${note}`;
}

/** Waits until the job has ended, the time is up or the call is aborted. */
export function jobEnded(job: Job, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted || !job.handle.running) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
    job.handle.done.then(finish, finish);
  });
}
