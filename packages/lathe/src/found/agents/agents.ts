// The agents available here: files of the project, of the user and of other agents, then the bundled ones. The first
// with a name wins; files are read again for each spawn.

import type { DiscoveredWorkspace } from "../discovery/discovery.ts";
import { parseMarkdown } from "../discovery/frontmatter.ts";
import type { DiscoveryWarning, Found, MarkdownValue, Source } from "../discovery/types.ts";
import { type AgentFile, readAgentFile } from "./agent-file.ts";
import { ALIASES, BUNDLED_FILES } from "./bundled/index.ts";

export interface Agent extends AgentFile {
  readonly aliases: readonly string[];
  /** Absent for a bundled agent. */
  readonly source?: Source;
}

export interface AgentListing {
  /** The agents that take effect: from files first, then bundled. */
  readonly active: readonly Agent[];
  /** Files that take no effect, and why. */
  readonly unused: readonly { readonly name: string; readonly source: Source; readonly why: string }[];
  readonly warnings: readonly DiscoveryWarning[];
}

export async function agentsOf(workspace: DiscoveredWorkspace): Promise<AgentListing> {
  const found = await (await workspace.discovery()).of("agent");
  const active = new Map<string, Agent>();
  const unused: AgentListing["unused"][number][] = [];
  const warnings: DiscoveryWarning[] = [...found.warnings];
  for (const item of found.all) {
    const { name, source } = item;
    const first = active.get(name)?.source;
    if (item.ignored !== undefined) unused.push({ name, source, why: item.ignored });
    else if (first) unused.push({ name, source, why: `shadowed by ${first.path}` });
    else {
      // A broken file does not hide the next one with the same name.
      const agent = agentIn(item);
      if ("problem" in agent) warnings.push({ path: source.path, message: agent.problem });
      else active.set(name, agent);
    }
  }
  for (const agent of bundledAgents()) if (!active.has(agent.name)) active.set(agent.name, agent);
  return { active: [...active.values()], unused, warnings };
}

function agentIn({ name, source, value }: Found<MarkdownValue>): Agent | { readonly problem: string } {
  const file = readAgentFile(name, value, source.path);
  return "problem" in file ? file : { ...file, aliases: [], source };
}

export function bundledAgents(): readonly Agent[] {
  return Object.entries(BUNDLED_FILES).map(([name, text]) => {
    const { frontmatter, body, problem } = parseMarkdown(text);
    const file = readAgentFile(name, { frontmatter, body, folder: "" }, "bundled");
    if (problem || "problem" in file) throw new Error(`the bundled agent ${name} is broken`);
    return { ...file, aliases: ALIASES[name] ?? [] };
  });
}
