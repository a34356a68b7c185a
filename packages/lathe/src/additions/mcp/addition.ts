// What MCP servers add to a session: tools (which a search may hide if there are many), prompts as commands, and
// resources by address.

import type { Answerer, Middleware, Session } from "@lathe/agent";
import { thisMachine } from "../../config/workspace/this-machine.ts";
import type { AdditionMaker, SessionPart, SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { PresentSession } from "../present-session.ts";
import type { SharedBySessions } from "../shared-by-sessions.ts";
import type { ServerTool } from "../tool-search/tool-search.ts";
import { DefinitionCache } from "./cache.ts";
import type { ServerQuestions } from "./client.ts";
import { learnLiterals, serverConfig, signInDeps, timeoutOfAll, valueSources } from "./configs.ts";
import { START_TIMEOUT_MS } from "./limits.ts";
import { ServerManager } from "./manager.ts";
import { mcpCommand } from "./mcp-command.ts";
import { PREFIX } from "./names.ts";
import { promptCommands } from "./prompts.ts";
import { mcpScheme } from "./resources.ts";
import { MOST_SAMPLES, sample } from "./sampling.ts";
import type { Server } from "./server.ts";
import type { ServerConfig } from "./types.ts";

/** The MCP servers of a run. Other servers or another folder need new ones. */
export interface McpServers {
  readonly manager: ServerManager;
  readonly sessions: PresentSession;
  close(): Promise<void>;
}

/** `named`: servers that a host gave, whose values are literal; if absent, those that discovery finds. */
export const mcpAddition =
  (servers: SharedBySessions<McpServers>, named?: readonly ServerConfig[]): AdditionMaker =>
  async (workspace, request) => {
    const configs = named ?? (await foundServers(workspace));
    learnLiterals(configs, workspace);
    const timeout = timeoutOfAll(workspace);
    // A host relies on the servers that it names, and it may send its first prompt at once.
    const waitsForStart = named !== undefined || (request.promptFollows ?? false);
    const key = JSON.stringify([workspace.cwd, configs, timeout.ms, waitsForStart]);
    const start = { configs, waitsForStart, timeoutMs: timeout.ms };
    const { value, leave } = servers.enter(key, () => startServers(workspace, request, start));
    const warnings = timeout.problem === undefined ? [] : [timeout.problem];
    return additionOf(value, workspace, request, { warnings, close: leave });
  };

async function foundServers(workspace: SessionWorkspace): Promise<readonly ServerConfig[]> {
  const { active } = await (await workspace.discovery()).of("mcp-server");
  return active.map((found) => serverConfig(found, workspace));
}

function startServers(
  workspace: SessionWorkspace,
  request: SessionRequest,
  {
    configs,
    waitsForStart,
    timeoutMs,
  }: {
    readonly configs: readonly ServerConfig[];
    readonly waitsForStart: boolean;
    readonly timeoutMs: number | undefined;
  },
): McpServers {
  const sessions = new PresentSession();
  const warn = (message: string, code: string): void => sessions.warn(message, code);
  // An environment like the session's, but not the session's own, which ends with it.
  const env =
    request.environment?.(workspace, warn) ?? thisMachine(workspace, { roots: () => sessions.roots(workspace), warn });
  const manager = new ServerManager({
    configs,
    cache: new DefinitionCache(workspace.paths.cache),
    deps: workspace.machine.deps,
    waitsForStart,
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
  const close = async (): Promise<void> => {
    await manager.close();
    await env.cleanup();
  };
  return { manager, sessions, close };
}

function additionOf(
  { manager, sessions }: McpServers,
  workspace: SessionWorkspace,
  request: SessionRequest,
  { warnings, close }: { readonly warnings: readonly string[]; readonly close: () => Promise<void> },
): SessionPart {
  const addition: SessionPart = {
    name: "MCP",
    toolProviders: [{ tools: wantedTools(manager, request.tools) }],
    middleware: [waitForServers(manager)],
    schemes: { mcp: mcpScheme(manager) },
    systemParts: () => (manager.servers.length === 0 ? [] : [{ name: "MCP servers", text: systemPart(manager) }]),
    commands: async (wanted) => {
      // The first input may be a prompt of a server that is still starting.
      const isKnown = (): boolean => promptCommands(manager).some(({ name }) => name === wanted);
      if (wanted?.startsWith(PREFIX) && !isKnown()) await manager.waitUntilStarted();
      return [mcpCommand(manager, workspace), ...promptCommands(manager)];
    },
    opened: (open) => {
      manager.onDefinitions = () => addition.onCommands?.();
      sessions.use(open);
      for (const warning of warnings) sessions.warn(warning, "mcp");
      manager.open();
    },
    close,
  };
  return addition;
}

/** The first request waits for servers whose tools are still unknown. */
function waitForServers(manager: ServerManager): Middleware {
  return {
    name: "MCP servers",
    timeoutMs: START_TIMEOUT_MS * 6,
    beforeRequest: async (_info, { signal }) => ((await manager.ready(signal)) ? { retry: true } : undefined),
  };
}

/** This text must be stable, so it names the configured servers, not the running ones. */
function systemPart({ servers }: ServerManager): string {
  const names = servers.map(({ name }) => name).join(", ");
  return `## MCP servers\n\nConfigured: ${names}. Their tools are called mcp__<server>__<tool>. Reading \`mcp://<server>\` lists a server's instructions and resources, reading \`mcp://<server>/<address>\` gives a resource.`;
}

/** Filters tools by `--tools`. Returns the same array until the manager has a new one. */
function wantedTools(manager: ServerManager, only: readonly string[] | undefined): () => readonly ServerTool[] {
  let made: { readonly from: unknown; readonly list: readonly ServerTool[] } | undefined;
  const isWanted = (name: string): boolean =>
    only?.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name)) ?? true;
  return () => {
    const from = manager.tools();
    if (made?.from !== from) made = { from, list: from.filter(({ name }) => isWanted(name)) };
    return made.list;
  };
}

/** A server may ask one question at a time, of the user or the model; more are refused. */
function hooksOf(server: Server, { person }: SessionRequest, sessions: PresentSession): ServerQuestions {
  const answer = person?.answer;
  let isAsking = false;
  let samples: { readonly of?: Session; count: number } = { count: 0 };
  const oneAtATime = async <T>(work: (unneeded: AbortSignal) => Promise<T>): Promise<T> => {
    if (isAsking) throw new Error("the server's previous question is still open");
    isAsking = true;
    try {
      return await server.ask(work);
    } finally {
      isAsking = false;
    }
  };
  return {
    ...(answer
      ? {
          elicit: (question, signal) =>
            oneAtATime(async (unneeded) => {
              const { elicit: elicited } = await import("./elicitation.ts");
              const ask: Answerer = (questions, given) => answer(questions, given);
              return elicited(server.name, question, ask, AbortSignal.any([signal, unneeded]));
            }),
        }
      : {}),
    ...(server.config.sampling
      ? {
          sample: (question) =>
            oneAtATime(async () => {
              const { session } = sessions;
              if (samples.of !== session) samples = { of: session, count: 0 };
              samples.count++;
              if (samples.count > MOST_SAMPLES)
                throw new Error(`more than ${MOST_SAMPLES} questions to the model in one session`);
              return sample(session, question);
            }),
        }
      : {}),
  };
}
