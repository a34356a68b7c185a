// Settings of a run: what it may do without asking, how messages are queued, how often and how long it retries.

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
      "calls to allow without asking: shell(git log *), write(src/**), network(example.com); rules of all files add up, but a project's file cannot allow anything",
  }),
  "permissions.ask": ruleList({ description: "calls to ask about in every mode" }),
  "permissions.deny": ruleList({ description: "calls to deny in every mode" }),
  "permissions.rememberDays": integer({
    minimum: 0,
    default: 30,
    description: "days for which a pattern that you allow in a project is remembered; 0 = until the session ends",
  }),
  steeringMode: choice(QUEUE, {
    default: "one-at-a-time",
    description: "whether queued steering messages are delivered together or one at a time",
  }),
  followUpMode: choice(QUEUE, {
    default: "one-at-a-time",
    description: "whether queued follow-ups are delivered together or one at a time",
  }),
  interruptMode: choice(["immediate", "wait"], {
    default: "immediate",
    description: "immediate: a steering message skips calls that have not started; wait: it waits for the round to end",
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
      "models to use until your next message when the chosen one is overloaded or out of quota; the first that works is used",
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
