// Work that runs alongside the conversation, even while an answer streams in: the user's own commands, background jobs,
// small questions to a model. It ends with the session.

import type { LandingCall } from "../agents/subagents/types.ts";
import { abortController } from "../base/time/deadline.ts";
import type { SideAnswer, SideCall } from "../contract/seams/types.ts";
import type { Jobs } from "../tools/run/jobs.ts";
import type { WholeSession } from "./facades.ts";
import { type Deliver, JobReports } from "./job-reports.ts";
import { permitLanding } from "./permit-landing.ts";
import { sideCall } from "./side-call.ts";
import { runUserCommand, type UserCommandOptions, type UserCommandResult } from "./user-command.ts";

/** What a session can do alongside its conversation. */
export interface Beside {
  /** Commands that run in the background, including those that have ended. */
  readonly jobs: Jobs | undefined;
  /** Runs a command for the user and records it. */
  runCommand(command: string, options: UserCommandOptions): Promise<UserCommandResult>;
  /** Asks a model outside the conversation. The session's costs include it. */
  callModel(role: string, call: SideCall, signal?: AbortSignal): Promise<SideAnswer>;
  /** Asks whether the work of an isolated agent may be applied. Returns undefined if it may, otherwise the reason. */
  permitLanding(landing: LandingCall, signal: AbortSignal): Promise<string | undefined>;
  /** Reports the jobs that ended with an earlier process. The session calls this when it is opened. */
  recover(): void;
  /** Ends everything that still runs. The session calls this before it closes its journal. */
  close(): Promise<void>;
}

export class SessionBeside implements Beside {
  readonly #core: WholeSession;
  readonly #end = abortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #reports: JobReports;

  constructor(core: WholeSession, deliver: Deliver) {
    this.#core = core;
    this.#reports = new JobReports(core, deliver);
    this.jobs?.follow(this.#reports);
  }

  recover(): void {
    if (this.jobs) this.#reports.recover(this.jobs);
  }

  get jobs(): Jobs | undefined {
    return this.#core.services.jobs;
  }

  runCommand(command: string, options: UserCommandOptions): Promise<UserCommandResult> {
    return this.#track(runUserCommand(this.#core, command, { ...options, signal: this.#until(options.signal) }));
  }

  callModel(role: string, call: SideCall, signal?: AbortSignal): Promise<SideAnswer> {
    return this.#track(sideCall(this.#core, role, call, this.#until(signal)));
  }

  permitLanding(landing: LandingCall, signal: AbortSignal): Promise<string | undefined> {
    return this.#track(permitLanding(this.#core, landing, this.#until(signal)));
  }

  async close(): Promise<void> {
    this.#reports.close();
    this.#end.abort();
    await Promise.allSettled(this.#running);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const forget = (): void => void this.#running.delete(work);
    work.then(forget, forget);
    return work;
  }

  #until(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#end.signal : AbortSignal.any([signal, this.#end.signal]);
  }
}
