// What MCP servers add to a session: their tools (behind a search when they are many), prompts as commands, resources by address.

import type { Middleware, Session, ToolDef } from "@lathe/agent";
import type { AdditionMaker, SessionAddition } from "../conversation/additions.ts";
import type { SessionRequest } from "../conversation/open-session.ts";
import { discoveryOf } from "../discovery/discovery.ts";
import { type Hideable, ToolSearch } from "../tool-search/tool-search.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { DefinitionCache } from "./cache.ts";
import type { ServerQuestions } from "./client.ts";
import { serverConfig, signInDeps, timeoutOfAll, valueSources } from "./configs.ts";
import { START_TIMEOUT_MS } from "./limits.ts";
import { ServerManager } from "./manager.ts";
import { mcpCommand } from "./mcp-command.ts";
import { promptCommands } from "./prompts.ts";
import { mcpScheme } from "./resources.ts";
import { MOST_SAMPLES, sampled } from "./sampling.ts";
import type { Server } from "./server.ts";

export const mcpAddition: AdditionMaker = async (workspace, request) => {
  const { active, warnings } = await discoveryOf(workspace).of("mcp-server");
  const configs = active.map((found) => serverConfig(found, workspace));
  const isSearching = workspace.settings["tools.discoveryMode"] === "all";
  if (configs.length === 0 && warnings.length === 0 && !isSearching) return undefined;
  const timeout = timeoutOfAll(workspace);
  const pending = new PendingSession();
  if (timeout.problem !== undefined) pending.warn(timeout.problem, "mcp");
  const manager = new ServerManager({
    configs,
    cache: new DefinitionCache(workspace.paths.cache),
    deps: workspace.machine.deps,
    waitsForStart: request.promptFollows ?? false,
    warn: (message, code) => pending.warn(message, code),
    host: {
      env: () => pending.session.env,
      values: valueSources(workspace),
      roots: () => workspace.roots,
      version: LATHE_VERSION,
      timeoutMs: timeout.ms,
      auth: async (config) => {
        if (config.transport === "stdio" || config.oauth === false) return undefined;
        return (await import("./with-package.ts")).storedSignIn(config, signInDeps(workspace, config));
      },
      hooks: (server) => hooksOf(server, request, pending),
    },
  });
  return additionOf(manager, workspace, request, pending);
};

function additionOf(
  manager: ServerManager,
  workspace: Workspace,
  request: SessionRequest,
  pending: PendingSession,
): SessionAddition {
  const { settings } = workspace;
  const { journal } = request.opened;
  const search = new ToolSearch({
    mode: settings["tools.discoveryMode"],
    essential: settings["tools.essentialOverride"],
    fromServers: hideable(manager, request.tools),
    builtin: () => pending.builtinTools(),
    selected: journal.context.state.mcpTools ?? [],
    onSelected: (selectedToolNames) => void journal.append({ type: "mcp_tool_selection", selectedToolNames }),
  });
  const addition: SessionAddition = {
    name: "MCP",
    toolProviders: [search],
    middleware: [waitForServers(manager)],
    schemes: { mcp: mcpScheme(manager) },
    systemParts: () => (manager.servers.length === 0 ? [] : [{ name: "MCP servers", text: systemPart(manager) }]),
    commands: async () => [mcpCommand(manager, workspace), ...promptCommands(manager)],
    opened: ({ session }) => {
      pending.open(session);
      manager.open();
    },
    close: () => manager.close(),
  };
  manager.onDefinitions = () => addition.onCommands?.();
  return addition;
}

/** The first request waits for servers of which nothing is known yet. */
function waitForServers(manager: ServerManager): Middleware {
  return {
    name: "MCP servers",
    timeoutMs: START_TIMEOUT_MS * 6,
    beforeRequest: async (_info, { signal }) => ((await manager.ready(signal)) ? { retry: true } : undefined),
  };
}

/** Stable: names of what is configured, not of what runs. */
function systemPart({ servers }: ServerManager): string {
  const names = servers.map(({ name }) => name).join(", ");
  return `## MCP servers\n\nConfigured: ${names}. Their tools are called mcp__<server>__<tool>. Reading \`mcp://<server>\` lists a server's instructions and resources, reading \`mcp://<server>/<address>\` gives a resource.`;
}

/** `--tools` is about these as well. The same array until the manager has another one. */
function hideable(manager: ServerManager, only: readonly string[] | undefined): () => readonly Hideable[] {
  let made: { readonly from: unknown; readonly list: readonly Hideable[] } | undefined;
  const isWanted = (name: string): boolean =>
    only?.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name)) ?? true;
  return () => {
    const from = manager.tools();
    if (made?.from !== from) made = { from, list: from.filter(({ tool }) => isWanted(tool.name)) };
    return made.list;
  };
}

/** One question of a server at a time: more are refused, whoever they are for. */
function hooksOf(server: Server, { person }: SessionRequest, pending: PendingSession): ServerQuestions {
  const answer = person?.answer;
  let isAsking = false;
  let samples = 0;
  const alone = async <T>(work: (unneeded: AbortSignal) => Promise<T>): Promise<T> => {
    if (isAsking) throw new Error("another question of this server is still open");
    isAsking = true;
    try {
      return await server.asking(work);
    } finally {
      isAsking = false;
    }
  };
  return {
    ...(answer
      ? {
          elicit: (question, signal) =>
            alone(async (unneeded) => {
              const { elicited } = await import("./elicitation.ts");
              return elicited(server.name, question, answer, AbortSignal.any([signal, unneeded]));
            }),
        }
      : {}),
    ...(server.config.sampling
      ? {
          sample: (question) =>
            alone(async () => {
              samples += 1;
              if (samples > MOST_SAMPLES)
                throw new Error(`more than ${MOST_SAMPLES} questions to the model in one session`);
              return sampled(pending.session, question);
            }),
        }
      : {}),
  };
}

/** The session, once there is one; until then, what there is to say to it. */
class PendingSession {
  readonly #warnings: (readonly [string, string])[] = [];
  #session: Session | undefined;

  open(session: Session): void {
    this.#session = session;
    for (const [message, code] of this.#warnings.splice(0)) session.warn(message, code);
  }

  get session(): Session {
    if (!this.#session) throw new Error("the session is not open yet");
    return this.#session;
  }

  warn(message: string, code: string): void {
    if (!this.#session) this.#warnings.push([message, code]);
    else if (this.#session.state !== "closed") this.#session.warn(message, code);
  }

  builtinTools(): readonly ToolDef[] {
    const registry = this.#session?.profile.toolRegistry;
    return registry?.names().flatMap((name) => registry.get(name)?.tool ?? []) ?? [];
  }
}
