// Records background jobs in the session: journals their start and end, sends an end that no call saw to the model
// once, and, when a session is reopened, reports the jobs that were cut off with the earlier process.

import { type JsonObject, messageOf } from "@lathe/llm";
import { Checker, choice, number, openObject, optional, text } from "@lathe/llm/schema";
import { escapeFrames } from "../base/text/unframed.ts";
import { truncateOutput } from "../base/truncate/truncate.ts";
import type { MessageSource } from "../contract/events/types.ts";
import { artifactNotice, unsavedNotice } from "../record/artifacts/notice.ts";
import { type Job, type JobFollower, type Jobs, jobState, jobStatus, takeOutput } from "../tools/run/jobs.ts";
import type { SessionLog } from "./facades.ts";

/** Gives a message to the session. `wakes`: it may begin an input. A message with an id is taken only once. */
export type Deliver = (content: string, source: MessageSource, wakes: boolean, id?: string) => void;

const JOB_KIND = "job";
const JOB_LINE = new Checker(
  openObject({ id: number(), state: choice(["started", "ended"]), command: optional(text()), how: optional(text()) }),
);
/** The limit of a job's report; the whole output is in an artifact. */
const REPORT_LIMIT = { chars: 8_000, mode: "head_tail", lines: 120 } as const;

export class JobReports implements JobFollower {
  readonly #core: SessionLog;
  readonly #deliver: Deliver;
  #isClosing = false;

  constructor(core: SessionLog, deliver: Deliver) {
    this.#core = core;
    this.#deliver = deliver;
  }

  /** Jobs that end after this were cut off by the end of the session. */
  close(): void {
    this.#isClosing = true;
  }

  onStart({ id, handle }: Job): void {
    this.#write({ id, state: "started", command: handle.command });
  }

  onEnd(job: Job): void {
    if (!this.#isClosing) this.#write({ id: job.id, state: "ended", how: jobStatus(job) });
  }

  news(job: Job): void {
    if (this.#isClosing) return;
    this.#report(job)
      .then((content) => {
        // The caller that cancelled a job knows of its end, so the report need not wake the session.
        if (!this.#isClosing) this.#deliver(content, { kind: "job", id: String(job.id) }, !job.isCancelled);
      })
      .catch((error: unknown) => this.#unwritable(error));
  }

  /** Settles the jobs of an earlier process, none of which still runs. */
  recover(jobs: Jobs): void {
    const cut = new Map<number, string>();
    for (const line of this.#core.journal.outside("host")) {
      if (line.kind !== JOB_KIND || !JOB_LINE.fits(line.data)) continue;
      const { id, state, command = "" } = line.data as unknown as { id: number; state: string; command?: string };
      jobs.skipTo(id);
      if (state === "started") cut.set(id, command);
      else cut.delete(id);
    }
    if (cut.size === 0) return;
    for (const id of cut.keys()) this.#write({ id, state: "ended", how: "cut" });
    const names = [...cut].map(([id, command]) => `job ${id}: ${command}`);
    this.#core.warn(`Background jobs ended with the earlier process: ${names.join("; ")}`, "jobs_cut");
    const content = `<background_jobs>\nThe process that ran these background jobs has ended, and so have they:\n${escapeFrames(names.join("\n"))}\n</background_jobs>`;
    this.#deliver(content, { kind: "job" }, false);
  }

  #write(data: JsonObject): void {
    try {
      this.#core.journal.write({ type: "host", kind: JOB_KIND, data });
    } catch (error) {
      this.#unwritable(error);
    }
  }

  /** A session with an unwritable journal ends at its next step. A job has no call that could fail, so we only warn. */
  #unwritable(error: unknown): void {
    this.#core.warn(`a background job could not be recorded: ${messageOf(error)}`, "job_record");
  }

  async #report(job: Job): Promise<string> {
    const whole = (await takeOutput(job)).trimEnd();
    const shown = truncateOutput(whole, REPORT_LIMIT);
    const way = shown === whole ? "" : await this.#wayTo(job, whole);
    const output = [whole === "" ? "(no new output)" : shown, way, `[${jobStatus(job)}]`].filter((part) => part !== "");
    return `<background_job id="${job.id}" status="${jobState(job)}">\n${escapeFrames(`$ ${job.handle.command}\n${output.join("\n")}`)}\n</background_job>`;
  }

  async #wayTo({ spill }: Job, whole: string): Promise<string> {
    if (spill?.id !== undefined) return artifactNotice(spill.id);
    try {
      const writer = this.#core.artifacts.open("job");
      writer.write(Buffer.from(whole, "utf8"));
      return artifactNotice((await writer.close()).id);
    } catch (error) {
      return unsavedNotice(messageOf(error));
    }
  }
}
