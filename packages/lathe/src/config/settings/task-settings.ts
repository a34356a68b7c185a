// Settings of subagents.

import { choice, exactly, flag, integer, mapOf, oneOf, type Schema, text, withWords } from "@lathe/llm/schema";
import { NAMED_TEXTS, wordList } from "./setting-kinds.ts";

export const TASK_SETTINGS = {
  "task.batch": flag({ default: true, description: "let the model start several agents in one call of task" }),
  "task.maxConcurrency": integer({
    minimum: 0,
    default: 32,
    description: "agents of a session that may work at the same time; 0 = no limit",
  }),
  "task.maxRecursionDepth": integer({
    minimum: 0,
    maximum: 5,
    default: 2,
    description: "how many levels deep agents may start agents; 0 = no agents",
  }),
  "task.maxRuntimeMs": integer({
    minimum: 0,
    default: 3_600_000,
    description: "milliseconds that an agent may take for one assignment; 0 = no limit",
  }),
  "task.softRequestBudget": integer({
    minimum: 0,
    default: 0,
    description:
      "after this many requests an agent is asked to wrap up, and after twice as many it is stopped; 0 = no limit",
  }),
  "task.agentIdleTtlMs": withWords(oneOf(integer({ minimum: 0 }), exactly(-1)), {
    default: 420_000,
    description:
      "milliseconds after which an agent without work is parked: only its journal is kept, and a message revives it; 0 = never",
  }),
  "irc.timeoutMs": integer({
    minimum: 0,
    default: 120_000,
    description: "milliseconds that an irc call waits for a message from another agent; 0 = no limit",
  }),
  "task.agentModelOverrides": mapOf(text({ minLength: 1 }), {
    expects: NAMED_TEXTS,
    default: {},
    description: "models of agents by name, overriding their files: explore=provider/id[:effort]",
  }),
  "task.disabledAgents": wordList({ description: "agents that the model cannot start" }),
  "task.isolation.mode": choice(["none", "auto", "overlay", "reflink", "worktree", "container", "fuse-overlay"], {
    default: "auto",
    description:
      "how an isolated agent gets its copy of the files; none = no agent is isolated, fuse-overlay means overlay",
  }),
  "task.isolation.merge": choice(["patch", "branch"], {
    default: "patch",
    description:
      "what happens to its changes: patch merges them into the files, branch makes the branch lathe/task/<id>",
  }),
  "task.isolation.commits": choice(["generic", "ai"], {
    default: "generic",
    description:
      "commit messages of these branches: generic uses the assignment, ai lets modelRoles.smol describe the changes",
  }),
  "task.isolation.image": text({
    default: "",
    description: "container image for the mode container; auto uses containers only if this is set",
  }),
} as const satisfies Record<string, Schema>;
