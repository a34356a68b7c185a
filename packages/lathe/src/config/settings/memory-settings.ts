// Settings of memory: whether sessions leave notes for later ones, where these are kept, and who sees them.

import { choice, flag, integer, type Schema } from "@lathe/llm/schema";

export const MEMORY_SETTINGS = {
  "memory.backend": choice(["off", "local"], {
    default: "off",
    description:
      "where sessions keep notes for later ones, with tools that recall, retain and change them: local is a database in Lathe's folder",
  }),
  "memory.scoping": choice(["per-project", "per-project-tagged", "global"], {
    default: "per-project",
    description:
      "who sees a note: the sessions of its project, these and with per-project-tagged also all others where the note says so, or all",
  }),
  "memory.recallLimit": integer({
    minimum: 1,
    maximum: 50,
    default: 8,
    description: "how many notes one recall gives",
  }),
  "memories.enabled": flag({
    default: false,
    description:
      "at a terminal, make notes of past sessions of the directory in the background; each session that is read is one request, and one more sums up; turns memory on",
  }),
  "memories.maxRolloutAgeDays": integer({
    minimum: 0,
    default: 30,
    description: "sessions older than this are not read",
  }),
  "memories.minRolloutIdleHours": integer({
    minimum: 0,
    default: 12,
    description: "sessions are read once nothing has happened in them for so long",
  }),
  "memories.maxRolloutsPerStartup": integer({
    minimum: 0,
    default: 64,
    description: "how many sessions are read at most at a time",
  }),
  "memories.summaryInjectionTokenLimit": integer({
    minimum: 0,
    default: 5_000,
    description: "how long the hint of earlier notes in the first message may be, in tokens; 0 = no hint",
  }),
} as const satisfies Record<string, Schema>;

/** What is kept of all projects is the user's matter: a project's settings have no say. */
export const USERS_MEMORY = /^memor(?:y|ies)\./;
