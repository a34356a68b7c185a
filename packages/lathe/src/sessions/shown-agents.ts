// The agents of a session that is not open, from its journal.

import { join } from "node:path";
import { type JournalReader, knownAgents } from "@lathe/agent";
import { usageError } from "../usage/exit.ts";
import { childrenOf } from "./files.ts";
import { counted, dollars, seconds } from "./numbers.ts";
import type { ShownAgent } from "./show.ts";

export function shownAgents(journal: JournalReader): ShownAgent[] {
  return knownAgents({ journal }).map(({ header, agent, outcome, spent, task, description }) => ({
    agentId: header.agentId,
    facts: [
      ...(agent === undefined ? [] : [agent]),
      outcome?.isAborted ? "aborted" : (outcome?.status ?? "interrupted"),
      counted(spent.turns, "request"),
      ...(outcome?.durationMs === undefined ? [] : [seconds(outcome.durationMs)]),
      ...(spent.cost > 0 ? [dollars(spent.cost)] : []),
    ],
    task: description ?? task,
  }));
}

/** The journal of an agent of a session, agents of agents included. */
export function journalOfAgent(session: string, agentId: string): string {
  const files = childrenOf(session);
  const folder = session.replace(/\.jsonl$/, "");
  const wanted = files.find(({ path }) => path === join(folder, `${agentId}.jsonl`));
  if (wanted) return wanted.path;
  const names = files.map(({ path }) => path.slice(folder.length + 1, -".jsonl".length)).sort();
  const there = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  throw usageError(`The session has no agent ${agentId}; ${there}.`);
}
