// The session's settings: defaults, not ceilings. Any of them may be changed at any time and takes effect from the next call.

import type { BudgetConfig } from "../base/budget/ledger.ts";
import type { TruncationMode } from "../base/truncate/limits.ts";
import { MOST_RUNNING } from "../tools/run/jobs.ts";

/** How often and how long failed requests are made again. */
export interface RetryConfig {
  readonly maxRetries: number;
  /** Seconds, as in the llm package. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  readonly backoffMultiplier: number;
  readonly jitter: boolean;
  /** How often an answer that ended early, after text had begun, is requested again. */
  readonly midStream: number;
  /** Milliseconds from the first failure after which no further attempt begins; 0 = no limit. */
  readonly maxTotalMs: number;
}

/** Whether queued messages are delivered all at once or one by one. */
export type QueueMode = "all" | "one-at-a-time";

/** The settings of a session. Assign at any time; a change takes effect from the next call. */
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
  /** Steering that comes too late for any request: it waits for the next input, or becomes one (`run`). */
  lateSteering: "wait" | "run";
  /** `immediate`: a steering message skips the calls of the batch that have not started. */
  interruptMode: "wait" | "immediate";
  /** Deadline of a tool call that has none of its own; 0 = none. */
  defaultToolTimeoutMs: number;
  /** Deadline of one middleware hook that has none of its own. */
  hookTimeoutMs: number;
  /** How long a question to the host may stay open; 0 = until the input is interrupted. */
  approvalTimeoutMs: number;
  firstEventTimeoutMs: number;
  stallTimeoutMs: number;
  budget: BudgetConfig;
  /** Background jobs that may run at a time. */
  maxJobs: number;
  /**
   * The end of a job that nobody waited for, and the result of an agent: it waits for the next input, or becomes one when the session
   * is idle (`run`). Only with `run` does the tool `task` return before its agents have ended.
   */
  jobReports: "wait" | "run";
  /** The model may start a command in the background with the tools that offer it as `async`. */
  asyncCommands: boolean;
  /** A command that a call has waited for this long goes on as a job; 0 = never. */
  autoBackgroundMs: number;
  /** How long a call waits for jobs unless it says otherwise. */
  jobPollMs: number;
  /** The model gets the output of commands without lines that only report success or progress; the raw output is in an artifact. */
  minimizeOutput: boolean;
  /** `throw`: a prefix that changed without a reason ends the input; `report`: it is an error event and goes out. */
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
  retry: { maxRetries: 2, baseDelay: 1, maxDelay: 60, backoffMultiplier: 2, jitter: true, midStream: 1, maxTotalMs: 0 },
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

/** A live object: every assignment is checked when it is made. */
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
  if (!Object.hasOwn(DEFAULTS, name)) throw new Error(`unknown session setting "${name}"`);
  checkSetting(name as keyof SessionConfig, value);
  (values as unknown as Record<string, unknown>)[name] =
    name === "retry" ? { ...values.retry, ...withoutUndefined(value as Partial<RetryConfig>) } : value;
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

const CHOICES: { readonly [K in keyof SessionConfig]?: readonly unknown[] } = {
  steeringMode: ["all", "one-at-a-time"],
  followUpMode: ["all", "one-at-a-time"],
  lateSteering: ["wait", "run"],
  interruptMode: ["wait", "immediate"],
  prefixBug: ["throw", "report"],
  jobReports: ["wait", "run"],
  asyncCommands: [true, false],
  minimizeOutput: [true, false],
  enableLoopDetection: [true, false],
};

function checkSetting(name: keyof SessionConfig, value: unknown): void {
  if (typeof DEFAULTS[name] === "number") {
    checkCount(name, value);
    return;
  }
  const choices = CHOICES[name];
  if (choices && !choices.includes(value)) {
    throw new Error(`${name} must be one of ${choices.map(String).join(", ")}, not ${String(value)}`);
  }
  if (name === "toolOutputLimits" || name === "toolLineLimits") {
    for (const [tool, limit] of Object.entries(value as object)) checkCount(`${name}.${tool}`, limit);
  }
  if (name === "toolOutputModes") {
    for (const [tool, mode] of Object.entries(value as object)) checkMode(`${name}.${tool}`, mode);
  }
  if (name === "retry" || name === "budget") {
    for (const [key, amount] of Object.entries(value as object)) checkAmount(`${name}.${key}`, amount);
  }
}

const COUNTS: ReadonlySet<string> = new Set(["retry.maxRetries", "retry.midStream"]);

function checkAmount(name: string, value: unknown): void {
  if (value === undefined) return;
  if (COUNTS.has(name)) checkCount(name, value);
  if (typeof value === "number" && !(value >= 0)) throw new Error(`${name} must be 0 or more, not ${value}`);
}

function checkMode(name: string, value: unknown): void {
  const modes: readonly unknown[] = ["head_tail", "tail", "head"] satisfies TruncationMode[];
  if (!modes.includes(value)) throw new Error(`${name} must be one of ${modes.join(", ")}, not ${String(value)}`);
}

function checkCount(name: string, value: unknown): void {
  if (Number.isInteger(value) && (value as number) >= 0) return;
  throw new Error(`${name} must be a whole number of 0 or more, not ${String(value)}`);
}
