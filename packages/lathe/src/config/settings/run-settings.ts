// Settings of a run: what it may do without asking, how messages are queued, how often and how long it tries.

import { choice, flag, integer, number, type Schema } from "@lathe/llm/schema";
import { ruleList, wordList } from "./setting-kinds.ts";

const QUEUE = ["all", "one-at-a-time"] as const;

export const RUN_SETTINGS = {
  permissionMode: choice(["read-only", "ask", "auto-edit", "full", "plan"], {
    default: "auto-edit",
    description: "what the agent may do without asking",
  }),
  "permissions.allow": ruleList({
    description:
      "calls that need no question: shell(git log *), write(src/**), network(example.com); added up over all files, not read from a project's",
  }),
  "permissions.ask": ruleList({ description: "calls that are asked about in every mode" }),
  "permissions.deny": ruleList({ description: "calls that are never made" }),
  "permissions.rememberDays": integer({
    minimum: 0,
    default: 30,
    description: "days for which a pattern that you allow in a project is remembered; 0 = until the session ends",
  }),
  steeringMode: choice(QUEUE, { default: "one-at-a-time", description: "how queued steering messages are delivered" }),
  followUpMode: choice(QUEUE, { default: "one-at-a-time", description: "how queued follow-ups are delivered" }),
  interruptMode: choice(["immediate", "wait"], {
    default: "immediate",
    description: "steering skips calls that have not started, or waits for the round to end",
  }),
  "retry.enabled": flag({ default: true, description: "try again after a temporary provider error" }),
  "retry.maxRetries": integer({ minimum: 0, default: 8, description: "attempts after the first" }),
  "retry.baseDelay": number({
    minimum: 0,
    default: 1,
    description: "seconds before the second attempt; doubles each time",
  }),
  "retry.fallbackModels": wordList({
    description:
      "models that answer until your next message when the chosen one is overloaded or out of quota; the first that can be used",
  }),
  "retry.maxMinutes": number({ minimum: 0, default: 3, description: "minutes all attempts together may take" }),
  "timeouts.firstEvent": integer({
    minimum: 0,
    default: 600,
    description: "seconds to wait for the first event of an answer; 0 = no limit",
  }),
  "timeouts.stall": integer({
    minimum: 0,
    default: 300,
    description: "seconds of silence allowed within an answer; 0 = no limit",
  }),
} as const satisfies Record<string, Schema>;
