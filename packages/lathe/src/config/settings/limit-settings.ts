// Settings that limit a session: the sandbox, rewinding, budgets.

import { choice, flag, integer, mapOf, number, type Schema, text } from "@lathe/llm/schema";
import { NAMED_NUMBERS, NAMED_TEXTS, wordList } from "./setting-kinds.ts";

export const LIMIT_SETTINGS = {
  "sandbox.enabled": flag({
    default: false,
    description: "confine commands: they change files only below the working folders and reach only allowed hosts",
  }),
  "sandbox.network": wordList({
    description:
      "hosts that sandboxed commands may reach over HTTP and HTTPS: example.org, *.example.org, host:8080; empty = none",
  }),
  "sandbox.write": wordList({ description: "further folders that sandboxed commands may write to, such as ~/.cache" }),
  "sandbox.hide": wordList({
    description: "further files and folders that sandboxed commands cannot read; credential stores are always hidden",
  }),
  "journal.sync": choice(["none", "turn", "intent"], {
    default: "turn",
    description:
      "when the session file is synced to disk: none = never, turn = after each turn, intent = also before each effect that must not run twice",
  }),
  "rewind.enabled": flag({ default: true, description: "record what calls do to files, so that you can rewind it" }),
  "rewind.maxFiles": integer({
    minimum: 0,
    default: 30_000,
    description: "in a larger project, only files that edit tools change can be rewound",
  }),
  "rewind.maxFileMB": number({ minimum: 0, default: 10, description: "larger files cannot be rewound" }),
  "rewind.maxTotalMB": number({
    minimum: 0,
    default: 512,
    description: "files beyond this total size of a project cannot be rewound",
  }),
  "checkpoint.enabled": flag({
    default: false,
    description:
      "give the model the tools checkpoint and rewind, to drop an exploration from its context and keep a report",
  }),
  "limits.maxTurns": integer({
    minimum: 0,
    default: 0,
    description: "maximum number of model answers in a run; 0 = no limit",
  }),
  "limits.maxCalls": integer({
    minimum: 0,
    default: 0,
    description: "maximum number of tool calls in a run, those of agents included; 0 = no limit",
  }),
  "limits.maxCost": number({
    minimum: 0,
    default: 0,
    description: "maximum cost of a run in US dollars, agents included; 0 = no limit",
  }),
  checks: mapOf(text({ minLength: 1 }), {
    default: {},
    description:
      "commands that prove work, by the glob of the files they cover, as **=npm test; they run when the model stops after changes",
    format: NAMED_TEXTS,
  }),
  "verify.detect": flag({
    default: false,
    description: "without other checks, use those of the project: package.json, Makefile, pytest, cargo, go",
  }),
  "verify.rounds": integer({
    minimum: 0,
    default: 3,
    description: "how often a failed check goes back to the model",
  }),
  "verify.tests": wordList({
    description: "globs of further files that checks depend on; checks use them as they were when the work began",
  }),
  "verify.timeoutMs": integer({ minimum: 1, default: 600_000, description: "deadline of a check, in milliseconds" }),
  "limits.memoryMb": integer({
    minimum: 0,
    default: 0,
    description: "megabytes that the commands of a session may use together; 0 = no limit",
  }),
  "limits.cpus": number({
    minimum: 0,
    default: 0,
    description: "processors that the commands of a session may use together; 0 = all",
  }),
  "limits.maxProcesses": integer({
    minimum: 0,
    default: 0,
    description: "processes that the commands of a session may have together; 0 = no limit",
  }),
  "limits.commandMemoryMb": integer({
    minimum: 0,
    default: 128,
    description:
      "megabytes that must be free before another command starts while some are running; 0 = start all at once",
  }),
  toolOutputLimits: mapOf(number(), {
    expects: NAMED_NUMBERS,
    default: {},
    description: "characters of a tool's output the model sees, by tool",
  }),
  toolLineLimits: mapOf(number(), {
    expects: NAMED_NUMBERS,
    default: {},
    description: "lines of a tool's output the model sees, by tool",
  }),
} as const satisfies Record<string, Schema>;
