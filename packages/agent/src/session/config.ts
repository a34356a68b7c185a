// The session's settings. They are defaults, not ceilings: any of them may change at any time, with effect from the
// next call.

import {
  Checker,
  choice,
  exactly,
  flag,
  integer,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  type Schema,
  text,
} from "@lathe/llm/schema";
import type { BudgetConfig } from "../base/budget/ledger.ts";
import type { TruncationMode } from "../base/truncate/limits.ts";
import { SessionError } from "../contract/session-error.ts";
import { MOST_RUNNING } from "../tools/run/jobs.ts";

/** How often and for how long failed requests are retried. */
export interface RetryConfig {
  readonly maxRetries: number;
  /** Seconds, as in the llm package. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  readonly backoffMultiplier: number;
  readonly jitter: boolean;
  /** How often we request an answer again that broke off after its text had begun. */
  readonly midStream: number;
  /** Milliseconds from the first failure after which no further attempt begins; 0 = no limit. */
  readonly maxTotalMs: number;
  /** The same limit while the server cannot be reached at all; 0 = the limit for other errors. */
  readonly maxUnreachableMs: number;
}

/** Whether queued messages are delivered all at once or one by one. */
export type QueueMode = "all" | "one-at-a-time";

/** The settings of a session. They can be assigned at any time; a change takes effect from the next call. */
export interface SessionConfig {
  maxTurns: number;
  maxToolRoundsPerInput: number;
  defaultCommandTimeoutMs: number;
  maxCommandTimeoutMs: number;
  reasoningEffort: string | undefined;
  toolOutputLimits: Readonly<Record<string, number>>;
  toolLineLimits: Readonly<Record<string, number>>;
  toolOutputModes: Readonly<Record<string, TruncationMode>>;
  enableLoopDetection: boolean;
  loopDetectionWindow: number;
  maxSubagentDepth: number;
  retry: RetryConfig;
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  /**
   * What happens to steering that arrives too late for any request: it waits for the next input, or becomes one
   * (`run`).
   */
  lateSteering: "wait" | "run";
  /** `immediate`: a steering message skips the calls of the batch that have not started yet. */
  interruptMode: "wait" | "immediate";
  /** Deadline of a tool call that declares none; 0 = none. */
  defaultToolTimeoutMs: number;
  /** Deadline of a middleware hook that declares none. */
  hookTimeoutMs: number;
  /** How long a question to the host may stay open; 0 = until the input is interrupted. */
  approvalTimeoutMs: number;
  firstEventTimeoutMs: number;
  stallTimeoutMs: number;
  budget: BudgetConfig;
  /** How many background jobs may run at a time. */
  maxJobs: number;
  /**
   * What happens when a job that no call waits for ends, or an agent returns its result: the report waits for the next
   * input, or becomes one if the session is idle (`run`). Only with `run` does the tool `task` return before its agents
   * have ended.
   */
  jobReports: "wait" | "run";
  /** The model may start commands in the background. */
  asyncCommands: boolean;
  /** A command becomes a background job once a call has waited for it this long; 0 = never. */
  autoBackgroundMs: number;
  /** How long a call waits for jobs unless it says otherwise. */
  jobPollMs: number;
  /**
   * Removes lines that only report success or progress from the command output sent to the model. The raw output goes
   * into an artifact.
   */
  minimizeOutput: boolean;
  /**
   * What happens when the prefix changes without a reason: `throw` ends the input; `report` emits an error event and
   * sends the request.
   */
  prefixBug: "throw" | "report";
}

const DEFAULTS: SessionConfig = {
  maxTurns: 0,
  maxToolRoundsPerInput: 0,
  defaultCommandTimeoutMs: 10_000,
  maxCommandTimeoutMs: 600_000,
  reasoningEffort: undefined,
  toolOutputLimits: {},
  toolLineLimits: {},
  toolOutputModes: {},
  enableLoopDetection: true,
  loopDetectionWindow: 10,
  maxSubagentDepth: 1,
  retry: {
    maxRetries: 2,
    baseDelay: 1,
    maxDelay: 60,
    backoffMultiplier: 2,
    jitter: true,
    midStream: 1,
    maxTotalMs: 0,
    maxUnreachableMs: 0,
  },
  steeringMode: "all",
  followUpMode: "one-at-a-time",
  lateSteering: "wait",
  interruptMode: "wait",
  defaultToolTimeoutMs: 600_000,
  hookTimeoutMs: 60_000,
  approvalTimeoutMs: 0,
  firstEventTimeoutMs: 600_000,
  stallTimeoutMs: 300_000,
  budget: {},
  maxJobs: MOST_RUNNING,
  jobReports: "wait",
  asyncCommands: true,
  autoBackgroundMs: 0,
  jobPollMs: 30_000,
  minimizeOutput: false,
  prefixBug: "report",
};

/** The settings that differ from the defaults. */
export type ConfigInput = {
  readonly [K in Exclude<keyof SessionConfig, "retry">]?: SessionConfig[K] | undefined;
} & { readonly retry?: { readonly [K in keyof RetryConfig]?: RetryConfig[K] | undefined } | undefined };

/** The returned object is live: every assignment is checked at once. */
export function createConfig(input: ConfigInput = {}): SessionConfig {
  const values = { ...DEFAULTS };
  for (const [name, value] of Object.entries(input)) if (value !== undefined) assign(values, name, value);
  return new Proxy(values, {
    set(target, key, value): boolean {
      assign(target, String(key), value);
      return true;
    },
  });
}

function assign(values: SessionConfig, name: string, value: unknown): void {
  if (!Object.hasOwn(DEFAULTS, name)) throw new SessionError("config", `unknown session setting "${name}"`);
  const schema: Schema = SETTINGS[name as keyof SessionConfig];
  const wrong =
    value === undefined && name === "reasoningEffort" ? undefined : new Checker(schema).wrongIn(value, name);
  if (wrong !== undefined) throw new SessionError("config", wrong);
  (values as unknown as Record<string, unknown>)[name] =
    name === "retry" ? { ...values.retry, ...withoutUndefined(value as Partial<RetryConfig>) } : value;
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

const count = integer({ minimum: 0 });
/** A limit that is never reached may be written as Infinity. */
const amount = oneOf(number({ minimum: 0 }), exactly(Number.POSITIVE_INFINITY));
const limits = mapOf(count);
const queueMode = choice(["all", "one-at-a-time"]);

const SETTINGS: {
  readonly [K in keyof SessionConfig]: Schema<K extends "retry" ? Partial<RetryConfig> : SessionConfig[K]>;
} = {
  maxTurns: count,
  maxToolRoundsPerInput: count,
  defaultCommandTimeoutMs: count,
  maxCommandTimeoutMs: count,
  reasoningEffort: text(),
  toolOutputLimits: limits,
  toolLineLimits: limits,
  toolOutputModes: mapOf(choice(["head_tail", "tail", "head"])),
  enableLoopDetection: flag(),
  loopDetectionWindow: count,
  maxSubagentDepth: count,
  retry: object({
    maxRetries: optional(count),
    baseDelay: optional(amount),
    maxDelay: optional(amount),
    backoffMultiplier: optional(amount),
    jitter: optional(flag()),
    midStream: optional(count),
    maxTotalMs: optional(amount),
    maxUnreachableMs: optional(amount),
  }),
  steeringMode: queueMode,
  followUpMode: queueMode,
  lateSteering: choice(["wait", "run"]),
  interruptMode: choice(["wait", "immediate"]),
  defaultToolTimeoutMs: count,
  hookTimeoutMs: count,
  approvalTimeoutMs: count,
  firstEventTimeoutMs: count,
  stallTimeoutMs: count,
  budget: object({
    tokens: optional(amount),
    usd: optional(amount),
    wallMs: optional(amount),
    turns: optional(amount),
    calls: optional(amount),
  }),
  maxJobs: count,
  jobReports: choice(["wait", "run"]),
  asyncCommands: flag(),
  autoBackgroundMs: count,
  jobPollMs: count,
  minimizeOutput: flag(),
  prefixBug: choice(["throw", "report"]),
};
