// Background agents as the tool `job` sees them: by name, next to the numbers of commands.

import type { JsonObject } from "@lathe/llm";
import type { AgentReport, SubagentService } from "../../../contract/subagents.ts";
import { ToolFailure } from "../../../contract/tool.ts";

/** Numbers are jobs, even if they come as text. */
export function splitIds(ids: readonly (number | string)[]): { readonly jobs: number[]; readonly agents: string[] } {
  const isJob = (id: number | string): boolean => /^\d+$/.test(String(id));
  return { jobs: ids.filter(isJob).map(Number), agents: ids.filter((id) => !isJob(id)).map(String) };
}

/** The agents that a call waits for. */
interface WatchedAgents {
  /** Fires when the first agent ends. */
  readonly ended: AbortSignal | undefined;
  /** Stops waiting: from now on, a message reports the end of an agent again. */
  leave(): { readonly completed: readonly string[]; readonly running: readonly string[] };
}

export class AgentJobs {
  readonly #agents: SubagentService | undefined;

  constructor(agents: SubagentService | undefined) {
    this.#agents = agents;
  }

  runningIds(): readonly string[] {
    return this.#reports().flatMap(({ agentId, status }) => (status === "running" ? [agentId] : []));
  }

  list(): readonly string[] {
    return this.#reports().map(headline);
  }

  details(): JsonObject {
    const reports = this.#reports();
    if (reports.length === 0) return {};
    return { agents: reports.map((report) => ({ id: report.agentId, status: stateOf(report) })) };
  }

  async cancel(ids: readonly string[]): Promise<readonly string[]> {
    return Promise.all(
      ids.map(async (id) => {
        const report = this.#reports().find(({ agentId }) => agentId === id);
        if (!report) return `### agent ${id}: not_found`;
        if (report.status !== "running") return `### agent ${id}: already_completed (${stateOf(report)})`;
        return headline(await this.#agents!.close(id));
      }),
    );
  }

  watch(ids: readonly string[], signal: AbortSignal): WatchedAgents {
    if (ids.length === 0) return { ended: undefined, leave: () => ({ completed: [], running: [] }) };
    for (const id of ids) this.#get(id);
    const [first, left] = [new AbortController(), new AbortController()];
    const until = AbortSignal.any([signal, left.signal]);
    for (const id of ids) {
      if (this.#get(id).status !== "running") first.abort();
      else
        this.#agents!.wait(id, until).then(
          () => first.abort(),
          () => {}, // the wait was aborted
        );
    }
    const leave: WatchedAgents["leave"] = () => {
      const reports = ids.map((id) => this.#get(id));
      left.abort();
      return {
        completed: reports.filter(({ status }) => status !== "running").map((report) => this.#withResult(report)),
        running: reports.filter(({ status }) => status === "running").map(headline),
      };
    };
    return { ended: first.signal, leave };
  }

  #reports(): readonly AgentReport[] {
    return this.#agents?.list() ?? [];
  }

  #get(id: string): AgentReport {
    const found = this.#reports().find(({ agentId }) => agentId === id);
    if (found) return found;
    const known = this.#reports().map(({ agentId }) => agentId);
    throw new ToolFailure(`There is no agent ${id}${known.length > 0 ? `. Agents: ${known.join(", ")}.` : "."}`);
  }

  #withResult(report: AgentReport): string {
    return `${headline(report)}\n${this.#agents!.textOf(report)}`;
  }
}

const stateOf = ({ state, status }: AgentReport): string => (state === "aborted" ? "cancelled" : status);

const headline = (report: AgentReport): string =>
  `### agent ${report.agentId}: ${stateOf(report)}${report.description === undefined ? "" : `\n${report.description}`}`;
