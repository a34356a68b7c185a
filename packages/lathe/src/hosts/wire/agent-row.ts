// An agent of the session on the wire: its identity, state and activity.

import { choice, integer, listOf, number, object, optional, text } from "@lathe/llm/schema";

export const agentRow = object({
  agentId: text(),
  /** The agent that started it; absent: the session itself. */
  parentId: optional(text()),
  /** The name of the agent type. */
  agent: optional(text()),
  description: optional(text()),
  /** The beginning of the assignment. */
  assignment: text(),
  /** The kind of view that an isolated agent works in, such as `overlay`. */
  view: optional(text()),
  state: choice(["running", "idle", "parked", "aborted"]),
  /** How its last input ended, or `running`. */
  status: choice(["running", "completed", "failed"]),
  /** In US dollars, including the agents it started. */
  cost: number(),
  tokens: integer(),
  requests: integer(),
  /** The current activity in a few words; "" if it is not working. */
  doing: text(),
  /** The end of its output and its tools' output: 8 lines within 8 KiB. */
  tail: listOf(text()),
  unread: integer(),
  /** When its last input began, in milliseconds since the epoch. */
  startedAt: optional(integer()),
  endedAt: optional(integer()),
});
