// Commands that run beside the conversation, by number. The environment owns the processes; this remembers which is which and
// how far the model has read.

import type { BackgroundCommand, ExecResult } from "../../env/types.ts";
import { ToolFailure } from "../../tools/types.ts";

declare module "../../tools/types.ts" {
  interface ToolServices {
    readonly jobs?: Jobs;
  }
}

export interface Job {
  readonly id: number;
  readonly handle: BackgroundCommand;
  /** Byte offset the model has read up to. */
  read: number;
  result?: ExecResult;
  failure?: string;
}

const MOST_RUNNING = 16;

export class Jobs {
  readonly #jobs = new Map<number, Job>();

  start(command: string, launch: (command: string) => BackgroundCommand): Job {
    const running = this.list().filter((job) => job.handle.running);
    if (running.length >= MOST_RUNNING) {
      throw new ToolFailure(
        `${MOST_RUNNING} jobs are running already (${running.map((job) => job.id).join(", ")}). Stop one with job_stop first.`,
      );
    }
    const job: Job = { id: this.#jobs.size + 1, handle: launch(command), read: 0 };
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
    const known = [...this.#jobs.keys()];
    throw new ToolFailure(
      known.length > 0
        ? `There is no job ${id}. Known jobs: ${known.join(", ")}.`
        : `There is no job ${id}; none was started.`,
    );
  }

  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }
}

/** One line: running, or how it ended. */
export function jobStatus(job: Job): string {
  if (job.failure !== undefined) return `could not start: ${job.failure}`;
  if (!job.result) return "running";
  if (job.result.signal) return `ended by ${job.result.signal} after ${job.result.durationMs} ms`;
  return `exit code: ${job.result.exitCode}, ${job.result.durationMs} ms`;
}

/** Waits until the job has ended, the time is over or the call is given up. */
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
