// Agents as one line each: a running agent's line says what it does now; an ended agent's line stays in the scrollback.

import type { AgentOverview } from "@lathe/agent/contract";
import type { ChildItem } from "./item.ts";

export class Children {
  readonly #running = new Map<string, AgentOverview>();

  /** Running agents in the order in which they began. */
  get running(): readonly ChildItem[] {
    return [...this.#running.values()].map(itemOf);
  }

  /** Returns an agent that has ended its work, whose line no longer changes. */
  follow(agent: AgentOverview): ChildItem | undefined {
    if (agent.status === "running") {
      this.#running.set(agent.agentId, agent);
      return undefined;
    }
    return this.#running.delete(agent.agentId) ? itemOf(agent) : undefined;
  }
}

function itemOf({
  agentId,
  description,
  assignment,
  status,
  cost,
  doing,
  startedAt = 0,
  endedAt,
}: AgentOverview): ChildItem {
  return {
    kind: "child",
    agentId,
    task: description ?? assignment,
    state: status === "running" ? "running" : status === "completed" ? "done" : "failed",
    cost,
    last: doing,
    since: startedAt,
    ...(endedAt === undefined ? {} : { tookMs: endedAt - startedAt }),
  };
}
