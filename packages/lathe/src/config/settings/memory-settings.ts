// Settings of memory: whether sessions leave notes for later ones, where they are kept, and who can see them.

import { choice, flag, integer, listOf, type Schema, text } from "@lathe/llm/schema";

export const MEMORY_SETTINGS = {
  "memory.backend": choice(["off", "local", "hindsight"], {
    default: "off",
    description:
      "where sessions keep notes for later ones, with tools that recall, retain and change them: local is a database in Lathe's folder, hindsight a server at hindsight.apiUrl",
  }),
  "memory.scoping": choice(["per-project", "per-project-tagged", "global"], {
    default: "per-project",
    description:
      "which sessions see a note: those of its project; with per-project-tagged also all others, if the note says so; with global all",
  }),
  "memory.recallLimit": integer({
    minimum: 1,
    maximum: 50,
    default: 8,
    description: "how many notes one recall returns",
  }),
  "memories.enabled": flag({
    default: false,
    description:
      "at a terminal, make notes of past sessions of the directory in the background; this takes one request per session and one for a summary; turns memory on",
  }),
  "memories.maxRolloutAgeDays": integer({
    minimum: 0,
    default: 30,
    description: "sessions older than this are not read",
  }),
  "memories.minRolloutIdleHours": integer({
    minimum: 0,
    default: 12,
    description: "sessions are read once they have been idle for this long",
  }),
  "memories.maxRolloutsPerStartup": integer({
    minimum: 0,
    default: 64,
    description: "maximum number of sessions to read at a time",
  }),
  "memories.summaryInjectionTokenLimit": integer({
    minimum: 0,
    default: 5_000,
    description: "maximum length of the hint about earlier notes in the first message, in tokens; 0 = no hint",
  }),
  "hindsight.apiUrl": text({
    format: "http-address",
    default: "",
    description: "address of your Hindsight server; its token is $HINDSIGHT_API_TOKEN",
  }),
  "hindsight.bankId": text({
    default: "lathe",
    description: "bank on that server; with memory.scoping per-project, the start of its name",
  }),
  "hindsight.recallBudget": choice(["low", "mid", "high"], {
    default: "mid",
    description: "how hard that server searches",
  }),
  "hindsight.recallMaxTokens": integer({ minimum: 1, default: 1024, description: "maximum length of what it recalls" }),
  "hindsight.recallTypes": listOf(text(), {
    default: ["world", "experience"],
    description: "kinds of memories that it recalls",
  }),
  "hindsight.reflectMission": text({
    default: "",
    description: "what it should pay attention to when it reflects; empty = its own",
  }),
  "hindsight.retainMission": text({
    default: "",
    description: "what it should pay attention to when it retains; empty = its own",
  }),
} as const satisfies Record<string, Schema>;

/** Memory spans all projects, so only the user can set it, not a project. */
export const USERS_MEMORY = /^(?:memory|memories|hindsight)\./;
