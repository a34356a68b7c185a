// Collects everything that a migration imports from one agent, for one scope.

import { Discovery } from "../../found/discovery/discovery.ts";
import type { Place } from "../../found/discovery/place.ts";
import { PROVIDERS } from "../../found/discovery/providers/index.ts";
import type { Provider } from "../../found/discovery/search.ts";
import type { DiscoveryWarning, Found, MarkdownValue, McpServerValue } from "../../found/discovery/types.ts";
import { fromClaudeCode } from "./agents/claude-code.ts";
import { fromCodex } from "./agents/codex.ts";
import { fromGemini } from "./agents/gemini.ts";
import { fromOpencode } from "./agents/opencode.ts";
import { fromPi, piFiles } from "./agents/pi.ts";
import type { AgentName, Scope, TakenSettings } from "./types.ts";

interface Agent {
  /** Discovery providers whose items belong to this agent, including those in files it shares with others. */
  readonly providers: readonly string[];
  readonly settings: (written: Readonly<Record<string, unknown>>) => TakenSettings;
}

const BY_NAME: Readonly<Record<AgentName, Agent>> = {
  "claude-code": { providers: ["claude", "mcp-json"], settings: fromClaudeCode },
  codex: { providers: ["codex"], settings: fromCodex },
  gemini: { providers: ["gemini"], settings: fromGemini },
  opencode: { providers: ["opencode"], settings: fromOpencode },
  pi: { providers: ["pi"], settings: fromPi },
};

export interface Collected {
  readonly servers: readonly Found<McpServerValue>[];
  readonly commands: readonly Found<MarkdownValue>[];
  readonly skills: readonly Found<MarkdownValue>[];
  readonly agents: readonly Found<MarkdownValue>[];
  readonly settings: readonly { readonly path: string; readonly taken: TakenSettings }[];
  readonly warnings: readonly DiscoveryWarning[];
}

export async function collect(place: Place, agent: AgentName, scope: Scope): Promise<Collected> {
  const { providers, settings } = BY_NAME[agent];
  const known: readonly Provider[] = [...PROVIDERS, piFiles];
  const discovery = new Discovery({ place, providers: known.filter(({ id }) => providers.includes(id)) });
  const warnings: DiscoveryWarning[] = [];
  // Nothing is run here, so trust does not matter. A shadowed item has a winner in the same scope, or stays where it
  // is.
  const ofScope = async <K extends "mcp-server" | "command" | "skill" | "agent" | "settings">(kind: K) => {
    const found = await discovery.of(kind);
    warnings.push(...found.warnings);
    return found.all.filter(({ source, shadowedBy }) => source.level === scope && shadowedBy === undefined);
  };
  return {
    servers: await ofScope("mcp-server"),
    commands: await ofScope("command"),
    skills: await ofScope("skill"),
    agents: await ofScope("agent"),
    settings: (await ofScope("settings")).map(({ source, value }) => ({
      path: source.path,
      taken: settings(value.settings),
    })),
    warnings,
  };
}
