// The agents that a journal mentions, for readers of a session that is not open.

import type { JournalReader } from "../../contract/journal-reader.ts";
import type { AgentStatus } from "../../contract/subagents.ts";
import { knownAgents } from "./records.ts";

/** An agent as its last input left it. */
export interface PastAgent {
  readonly agentId: string;
  /** The kind of agent; absent for a plain child. */
  readonly agent?: string | undefined;
  readonly description?: string | undefined;
  /** The beginning of its assignment. */
  readonly assignment: string;
  /** The content that it was given but never read. */
  readonly unread?: string | undefined;
  /** `running`: its process ended before it did. */
  readonly status: AgentStatus;
  /** True if it was ended for good. */
  readonly isAborted: boolean;
  readonly requests: number;
  /** US dollars. */
  readonly cost: number;
  readonly durationMs?: number | undefined;
}

/** In the order in which they were started. */
export function pastAgents(journal: JournalReader): PastAgent[] {
  return knownAgents({ journal }).map(({ header, agent, description, task, input, outcome, spent }) => ({
    agentId: header.agentId,
    agent,
    description,
    assignment: task,
    unread: outcome && !outcome.isUnread ? undefined : input,
    status: outcome?.status ?? "running",
    isAborted: outcome?.isAborted ?? false,
    requests: spent.turns,
    cost: spent.cost,
    durationMs: outcome?.durationMs,
  }));
}
