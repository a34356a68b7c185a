// An agent of the session on the wire: what it is, where it is in its life, and what it does.

import { choice, integer, listOf, number, object, optional, text } from "@lathe/llm/schema";

export const agentRow = object({
  agentId: text(),
  /** The agent that started it; absent: the session itself. */
  parentId: optional(text()),
  /** The kind of agent. */
  agent: optional(text()),
  description: optional(text()),
  /** The beginning of it. */
  assignment: text(),
  /** The kind of view that an isolated agent works in, such as `overlay`. */
  view: optional(text()),
  state: choice(["running", "idle", "parked", "aborted"]),
  /** How its last input ended, or that it has not. */
  status: choice(["running", "completed", "failed"]),
  /** US dollars; what it started itself is included. */
  cost: number(),
  tokens: integer(),
  requests: integer(),
  /** What it does now, in a few words; "" when it is not at work. */
  doing: text(),
  /** The end of what it said and its tools printed: 8 lines within 8 KiB. */
  tail: listOf(text()),
  unread: integer(),
  /** When its last input began, in milliseconds since the epoch. */
  startedAt: optional(integer()),
  endedAt: optional(integer()),
});
