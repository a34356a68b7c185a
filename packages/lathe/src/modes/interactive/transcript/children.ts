// Child agents as one line each, from their own events.

import type { SessionEvent } from "@lathe/agent";
import { oneLine } from "../../../headless/outcome.ts";
import type { ChildItem } from "./item.ts";

interface Child {
  task: string;
  turns: number;
  cost: number;
  last: string;
  since: number;
}

export class Children {
  readonly #running = new Map<string, Child>();

  /** In the order in which they began. */
  get running(): readonly ChildItem[] {
    return [...this.#running].map(([agentId, child]) => ({ kind: "child", agentId, state: "running", ...child }));
  }

  /** A child that has come to the end of its input is returned: its line no longer changes. */
  event(agentId: string, event: SessionEvent): ChildItem | undefined {
    const child = this.#running.get(agentId);
    switch (event.kind) {
      case "user_input": {
        const task = oneLine(event.data.content);
        this.#running.set(agentId, { task, turns: 0, cost: 0, last: "", since: event.timestamp });
        return undefined;
      }
      case "turn_start":
        if (child) child.turns++;
        return undefined;
      case "assistant_text_end":
        if (child) child.cost += event.data.cost ?? 0;
        return undefined;
      case "tool_call_start":
        if (child) child.last = `${event.data.card.verb} ${event.data.card.subject}`;
        return undefined;
      case "retry":
        if (child) child.last = oneLine(event.data.message);
        return undefined;
      case "subagent_event":
        return this.event(event.data.agent_id, event.data.event);
      case "processing_end": {
        if (!child) return undefined;
        this.#running.delete(agentId);
        const { reason, cost } = event.data;
        const state = reason === "completed" ? "done" : "failed";
        return { kind: "child", agentId, ...child, cost, state, tookMs: event.timestamp - child.since };
      }
      default:
        return undefined;
    }
  }
}
