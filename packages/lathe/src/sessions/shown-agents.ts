// The agents of a session that is not open, read from its journal.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pastAgents } from "@lathe/agent/agents";
import type { JournalReader } from "@lathe/agent/contract";
import { usageError } from "../platform/usage/exit.ts";
import { childrenOf } from "./files.ts";
import { countOf, dollars, seconds } from "./numbers.ts";
import type { ShownAgent } from "./show.ts";

export function shownAgents(journal: JournalReader): ShownAgent[] {
  return pastAgents(journal).map(({ agentId, agent, status, isAborted, requests, cost, durationMs, ...about }) => ({
    agentId,
    facts: [
      ...(agent === undefined ? [] : [agent]),
      isAborted ? "aborted" : status === "running" ? "interrupted" : status,
      countOf(requests, "request"),
      ...(durationMs === undefined ? [] : [seconds(durationMs)]),
      ...(cost > 0 ? [dollars(cost)] : []),
    ],
    task: about.description ?? about.assignment,
  }));
}

/**
 * Describes an agent that ended before it started; undefined for other agents. `open` reads a journal of this session.
 */
export function neverBegun(
  session: string,
  agentId: string,
  open: (path: string) => JournalReader,
): string | undefined {
  if (childrenOf(session).some(({ path }) => path === journalPath(session, agentId))) return undefined;
  const dot = agentId.lastIndexOf(".");
  const parent = dot < 0 ? session : journalPath(session, agentId.slice(0, dot));
  if (!existsSync(parent)) return undefined;
  const agent = pastAgents(open(parent)).find((one) => one.agentId === agentId);
  return agent && `${agentId} ended before it began. It was given:\n\n${agent.unread ?? agent.assignment}\n`;
}

const journalPath = (session: string, agentId: string): string =>
  join(session.replace(/\.jsonl$/, ""), `${agentId}.jsonl`);

/** The journal of a session's agent, however deeply nested. */
export function journalOfAgent(session: string, agentId: string): string {
  const files = childrenOf(session);
  const folder = session.replace(/\.jsonl$/, "");
  const wanted = files.find(({ path }) => path === journalPath(session, agentId));
  if (wanted) return wanted.path;
  const names = files.map(({ path }) => path.slice(folder.length + 1, -".jsonl".length)).sort();
  const there = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  throw usageError(`The session has no agent ${agentId}; ${there}.`);
}
