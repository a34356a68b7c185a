// `/jobs`: list background commands, show the output of one, or stop it.

import { type Job, jobStatus, plainOutput } from "@lathe/agent/tools";
import { usageError } from "../../platform/usage/exit.ts";
import { printableLine } from "../../sessions/list.ts";
import type { Conversation } from "../conversation.ts";
import type { SlashCommand } from "./command.ts";

const USAGE = "Use: /jobs, /jobs <number>, or /jobs stop <number>.";
const SHOWN_LINES = 40;

/** A background command as hosts show it. */
export interface ListedJob {
  readonly id: number;
  readonly command: string;
  readonly isRunning: boolean;
  /** `running`, or how it ended. */
  readonly status: string;
}

export const listJobs = ({ session }: Pick<Conversation, "session">): readonly ListedJob[] =>
  (session.beside.jobs?.list() ?? []).map(toListedJob);

export const toListedJob = (job: Job): ListedJob => ({
  id: job.id,
  command: printableLine(job.handle.command),
  isRunning: job.handle.running,
  status: jobStatus(job),
});

export const jobs: SlashCommand = {
  name: "jobs",
  arguments: "[number | stop number]",
  description: "show or stop commands that run in the background",
  whileWorking: true,
  complete: (conversation, typed) => {
    const running = listJobs(conversation).filter(({ isRunning }) => isRunning);
    return running.map(({ id }) => `stop ${id}`).filter((value) => value.startsWith(typed));
  },
  run: async (conversation, argument, view) => {
    const [, stop, number] = /^(?:(stop)\s+)?(\d+)$/.exec(argument) ?? [];
    if (argument === "") {
      const listed = listJobs(conversation);
      if (listed.length === 0) view.line("There are no background jobs in this session.", "dim");
      for (const { id, command, status } of listed) view.line(`${String(id).padStart(3)}  ${status}  ${command}`);
      return;
    }
    if (number === undefined) throw usageError(USAGE);
    const job = jobOf(conversation, Number(number));
    if (stop) await stopJob(conversation, job);
    else for (const line of lastLines(job)) view.line(line);
    await Promise.race([job.handle.done.catch(() => undefined), Promise.resolve()]);
    view.line(`Job ${job.id}: ${job.handle.running ? "running" : jobStatus(job)}`, "dim");
  },
};

/** Stops the job; the model learns of it with the next request. */
export const stopJob = async ({ session }: Pick<Conversation, "session">, job: Job): Promise<void> =>
  session.beside.jobs?.cancel(job, false);

export function jobOf({ session }: Pick<Conversation, "session">, id: number): Job {
  const job = session.beside.jobs?.list().find((one) => one.id === id);
  if (!job) throw usageError(`There is no job ${id}. See: /jobs`);
  return job;
}

/** The last lines of output, without moving the position up to which the model has read. */
export function lastLines({ handle }: Job): string[] {
  const lines = plainOutput(handle.read().text).trimEnd().split("\n");
  return lines.length > SHOWN_LINES ? ["…", ...lines.slice(-SHOWN_LINES)] : lines;
}
