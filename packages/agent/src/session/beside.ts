// What goes on beside the conversation, also while an answer comes: commands of the person who uses the session, background jobs, small
// questions to a model. It ends with the session.

import type { LandingCall } from "../agents/subagents/types.ts";
import { abortController } from "../base/time/deadline.ts";
import type { SideAnswer, SideCall } from "../contract/seams/types.ts";
import type { Jobs } from "../tools/run/jobs.ts";
import type { WholeSession } from "./facades.ts";
import { type Deliver, JobReports } from "./job-reports.ts";
import { permitLanding } from "./permit-landing.ts";
import { sideCall } from "./side-call.ts";
import { runUserCommand, type UserCommandOptions, type UserCommandResult } from "./user-command.ts";

/** What a session does beside its conversation. */
export interface Beside {
  /** Commands that run in the background, or have ended there. */
  readonly jobs: Jobs | undefined;
  /** Runs a command of the person who uses the session, and records it. */
  runCommand(command: string, options: UserCommandOptions): Promise<UserCommandResult>;
  /** Asks a model outside the conversation; counted in the session's costs. */
  callModel(role: string, call: SideCall, signal?: AbortSignal): Promise<SideAnswer>;
  /** Asks whether the work of an isolated agent may land: undefined, or why not. */
  permitLanding(landing: LandingCall, signal: AbortSignal): Promise<string | undefined>;
  /** Says which jobs ended with an earlier process; the session does it when it is opened. */
  recover(): void;
  /** Ends what runs; the session does it before its journal is closed. */
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
