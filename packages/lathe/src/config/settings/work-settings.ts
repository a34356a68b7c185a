// Settings of background jobs, of output for the model, of the todo list and of questions to the user.

import type { SettingSpec } from "./schema.ts";

export const WORK_SETTINGS = {
  "async.enabled": { type: "boolean", default: true, help: "the model may ask for a command to run in the background" },
  "async.maxJobs": { type: "integer", min: 1, max: 100, default: 100, help: "background jobs that may run at a time" },
  "async.pollWaitDuration": {
    type: "enum",
    choices: ["5s", "10s", "30s", "1m", "5m"],
    default: "30s",
    help: "how long the model waits for background jobs in one call",
  },
  "bash.autoBackground.enabled": {
    type: "boolean",
    default: false,
    help: "a command that takes long goes on in the background, and the model continues",
  },
  "bash.autoBackground.thresholdMs": {
    type: "integer",
    min: 1,
    default: 60_000,
    help: "milliseconds after which a command counts as long",
  },
  "bash.minimizer.enabled": {
    type: "boolean",
    default: true,
    help: "leave lines that only report success or progress out of what the model reads; the raw output is kept",
  },
  "todo.enabled": { type: "boolean", default: true, help: "offer the todo list to the model; RPC always does" },
  "tasks.todoClearDelay": {
    type: "integer",
    min: 0,
    besides: -1,
    default: 60,
    help: "seconds after which settled tasks leave the todo list; -1 = never",
  },
  "ask.timeout": {
    type: "integer",
    min: 0,
    default: 0,
    help: "seconds after which a question of the model is answered with what it recommends, unless somebody has begun to answer; 0 = never",
  },
  "ask.notify": { type: "boolean", default: true, help: "notify when the model asks while the terminal has no focus" },
} as const satisfies Record<string, SettingSpec>;

const POLL_MS: Readonly<Record<string, number>> = {
  "5s": 5_000,
  "10s": 10_000,
  "30s": 30_000,
  "1m": 60_000,
  "5m": 300_000,
};

export const pollMs = (duration: string): number => POLL_MS[duration] ?? 30_000;
