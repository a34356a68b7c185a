// Settings of child agents.

import type { SettingSpec } from "./schema.ts";

export const TASK_SETTINGS = {
  "task.batch": {
    type: "boolean",
    default: true,
    help: "the model may give out several assignments in one call of task",
  },
  "task.maxConcurrency": {
    type: "integer",
    min: 0,
    default: 32,
    help: "agents of a session that work at a time; 0 = no limit",
  },
  "task.maxRecursionDepth": {
    type: "integer",
    min: 0,
    max: 5,
    default: 2,
    help: "how deep agents may start agents; 0 = none are started",
  },
  "task.maxRuntimeMs": {
    type: "integer",
    min: 0,
    default: 3_600_000,
    help: "milliseconds that an agent may take for one assignment; 0 = no limit",
  },
  "task.softRequestBudget": {
    type: "integer",
    min: 0,
    default: 0,
    help: "after this many requests an agent is asked to wrap up, and after twice as many it is stopped; 0 = no limit",
  },
  "task.agentIdleTtlMs": {
    type: "integer",
    min: 0,
    besides: -1,
    default: 420_000,
    help: "milliseconds after which an agent without work is parked: only its journal is kept, and a message revives it; 0 = never",
  },
  "irc.timeoutMs": {
    type: "integer",
    min: 0,
    default: 120_000,
    help: "milliseconds that a call of irc waits for a message of another agent; 0 = no limit",
  },
  "task.agentModelOverrides": {
    type: "map",
    of: "text",
    default: {},
    help: "models of agents by kind, before what their files say: explore=provider/id[:effort]",
  },
  "task.disabledAgents": { type: "strings", default: [], help: "agents that are not started" },
  "task.isolation.mode": {
    type: "enum",
    choices: ["none", "auto", "overlay", "reflink", "worktree", "container", "fuse-overlay"],
    default: "auto",
    help: "how an agent that is to work apart gets a copy of the files; none = no agent works apart, fuse-overlay means overlay",
  },
  "task.isolation.merge": {
    type: "enum",
    choices: ["patch", "branch"],
    default: "patch",
    help: "what becomes of its changes: patch merges them into the files, branch makes the branch lathe/task/<id>",
  },
  "task.isolation.commits": {
    type: "enum",
    choices: ["generic", "ai"],
    default: "generic",
    help: "commit messages of branches: generic says the assignment, ai asks the model of modelRoles.smol to describe the changes",
  },
  "task.isolation.image": {
    type: "string",
    default: "",
    help: "image for the mode container; auto uses containers only when there is one",
  },
} as const satisfies Record<string, SettingSpec>;
