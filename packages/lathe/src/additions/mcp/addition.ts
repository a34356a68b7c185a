// What MCP servers add to a session: their tools (behind a search when they are many), prompts as commands, resources by address.

import type { ExecutionEnvironment, Middleware, Session, ToolDef } from "@lathe/agent";
import { thisMachine } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { AdditionMaker, OpenSession, SessionPart, SessionRequest } from "../../conversation/session-contract.ts";
import { discoveryOf } from "../../found/discovery/discovery.ts";
import { type Hideable, ToolSearch } from "../tool-search/tool-search.ts";
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
import type { ServerConfig } from "./types.ts";

/** Servers stay while one session follows another, and end with the last. By the settings, which a workspace keeps when it is copied. */
const running = new WeakMap<Workspace["settings"], SharedServers>();

interface SharedServers {
  /** What they were made of: with other servers or another folder, others are made. */
  readonly key: string;
  readonly manager: ServerManager;
  readonly sessions: PresentSession;
  readonly env: ExecutionEnvironment;
  users: number;
}

export const mcpAddition: AdditionMaker = async (workspace, request) => {
  const { active } = await discoveryOf(workspace).of("mcp-server");
  const configs = active.map((found) => serverConfig(found, workspace));
  const timeout = timeoutOfAll(workspace);
  const key = JSON.stringify([workspace.cwd, configs, timeout.ms, request.promptFollows ?? false]);
  const known = running.get(workspace.settings);
  const shared = known?.key === key ? known : startShared(workspace, request, { key, configs, timeoutMs: timeout.ms });
  running.set(workspace.settings, shared);
  shared.users++;
  return additionOf(shared, workspace, request, timeout.problem === undefined ? [] : [timeout.problem]);
};

function startShared(
  workspace: Workspace,
  request: SessionRequest,
  { key, configs, timeoutMs }: Pick<SharedServers, "key"> & { configs: ServerConfig[]; timeoutMs: number | undefined },
): SharedServers {
  const sessions = new PresentSession();
  const warn = (message: string, code: string): void => sessions.warn(message, code);
  // Of the kind that the session has, and not the session's: that one ends with it.
  const env =
    request.environment?.(workspace, warn) ?? thisMachine(workspace, { roots: () => sessions.roots(workspace), warn });
  const manager = new ServerManager({
    configs,
    cache: new DefinitionCache(workspace.paths.cache),
    deps: workspace.machine.deps,
    waitsForStart: request.promptFollows ?? false,
    warn,
    host: {
      env: async () => {
        await env.initialize();
        return env;
      },
      values: valueSources(workspace),
      roots: () => workspace.roots,
      version: LATHE_VERSION,
      timeoutMs,
      auth: async (config) => {
        if (config.transport === "stdio" || config.oauth === false) return undefined;
        return (await import("./with-package.ts")).storedSignIn(config, signInDeps(workspace, config));
      },
      hooks: (server) => hooksOf(server, request, sessions),
    },
  });
  return { key, manager, sessions, env, users: 0 };
}

function additionOf(
  shared: SharedServers,
  workspace: Workspace,
  request: SessionRequest,
  warnings: readonly string[],
): SessionPart {
  const { settings } = workspace;
  const { journal } = request.opened;
  const { manager, sessions } = shared;
  let builtin: (() => readonly ToolDef[]) | undefined;
  const search = new ToolSearch({
    mode: settings["tools.discoveryMode"],
    essential: settings["tools.essentialOverride"],
    fromServers: hideable(manager, request.tools),
    builtin: () => builtin?.() ?? [],
    selected: journal.context.state.mcpTools ?? [],
    onSelected: (selectedToolNames) => void journal.append({ type: "mcp_tool_selection", selectedToolNames }),
  });
  const addition: SessionPart = {
    name: "MCP",
    toolProviders: [search],
    middleware: [waitForServers(manager)],
    schemes: { mcp: mcpScheme(manager) },
    systemParts: () => (manager.servers.length === 0 ? [] : [{ name: "MCP servers", text: systemPart(manager) }]),
    commands: async () => [mcpCommand(manager, workspace), ...promptCommands(manager)],
    opened: (open) => {
      builtin = () => builtinTools(open.session);
      manager.onDefinitions = () => addition.onCommands?.();
      sessions.use(open);
      for (const warning of warnings) sessions.warn(warning, "mcp");
      manager.open();
    },
    close: async () => {
      shared.users--;
      if (shared.users > 0) return;
      if (running.get(settings) === shared) running.delete(settings);
      await manager.close();
      await shared.env.cleanup();
    },
  };
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
function hooksOf(server: Server, { person }: SessionRequest, sessions: PresentSession): ServerQuestions {
  const answer = person?.answer;
  let isAsking = false;
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
              sessions.countSample(server.name);
              return sampled(sessions.session, question);
            }),
        }
      : {}),
  };
}

/** The session that the servers work for now; until there is one, what there is to say to it. */
class PresentSession {
  readonly #warnings: (readonly [string, string])[] = [];
  /** Questions to the model, by server. */
  readonly #samples = new Map<string, number>();
  #open: OpenSession | undefined;

  use(open: OpenSession): void {
    this.#open = open;
    this.#samples.clear();
    for (const [message, code] of this.#warnings.splice(0)) open.session.warn(message, code);
  }

  get session(): Session {
    if (!this.#open) throw new Error("the session is not open yet");
    return this.#open.session;
  }

  countSample(server: string): void {
    const count = (this.#samples.get(server) ?? 0) + 1;
    this.#samples.set(server, count);
    if (count > MOST_SAMPLES) throw new Error(`more than ${MOST_SAMPLES} questions to the model in one session`);
  }

  roots(workspace: Workspace): readonly string[] {
    return this.#open?.permissions.roots ?? workspace.roots;
  }

  /** What is said between two sessions is for the next one. */
  warn(message: string, code: string): void {
    if (this.#open && this.#open.session.state !== "closed") this.#open.session.warn(message, code);
    else this.#warnings.push([message, code]);
  }
}

function builtinTools({ profile: { toolRegistry } }: Session): readonly ToolDef[] {
  return toolRegistry.names().flatMap((name) => toolRegistry.get(name)?.tool ?? []);
}
