// How a session starts its child agents and receives their events. Everything that a child shares with its parent is
// listed here; the rest is the child's own.

import type { Exchange } from "../agents/irc/exchange.ts";
import { Directory } from "../agents/subagents/directory.ts";
import { childInstructions } from "../agents/subagents/instructions.ts";
import type { Subagents } from "../agents/subagents/manager.ts";
import type { ChildOpening, ParentSession } from "../agents/subagents/parent.ts";
import type { AgentEngine, AgentType, ChildSession } from "../agents/subagents/types.ts";
import { withTree } from "../context/workspace-tree.ts";
import { type SessionTool, toolDefOf } from "../contract/registry/host-tool.ts";
import type { ToolProvider } from "../contract/registry/session-tools.ts";
import { ircTool } from "../tools/builtin/irc/index.ts";
import { reportFindingTool } from "../tools/builtin/report-finding/index.ts";
import { yieldTool } from "../tools/builtin/yield/index.ts";
import { ScopedEnvironment } from "../world/env/wrappers.ts";
import { addAgentAddresses } from "./agent-addresses.ts";
import type { HostChoices, SessionLog, Toolbox, WholeSession } from "./facades.ts";
import type { SessionOptions } from "./types.ts";

export function parentSession(
  core: WholeSession,
  create: (options: SessionOptions) => ChildSession,
  report: ParentSession["report"],
  exchange: Exchange | undefined,
): ParentSession {
  const { env, subagents = {}, agentId, spawns = "*" } = core.options;
  const tell: ConstructorParameters<typeof Directory>[0]["tell"] = (kind, agent) => core.emit(kind, { agent });
  const { directory: shared } = core.options;
  const directory =
    shared instanceof Directory ? shared : new Directory({ deps: core.deps, tell, tellsProgress: !subagents.isTaped });
  if (exchange) directory.unread = (id) => exchange.unread(id);
  return {
    directory,
    journal: core.journal,
    env,
    options: subagents,
    deps: core.deps,
    agentId,
    conflicts: core.services.conflicts,
    spawns,
    ledger: core.ledger,
    report,
    releaseReports: () => {
      core.inbox.isHeld = false;
    },
    exchange,
    get isAtWork() {
      return core.input !== undefined;
    },
    get takesReports() {
      return core.config.jobReports === "run";
    },
    get profile() {
      return core.profile;
    },
    get budget() {
      return core.config.budget;
    },
    elapsedMs: () => core.elapsedMs(),
    accountInput: (usage, cost) => core.accountInput(usage, cost),
    append: (entry) => void core.append(entry),
    redact: (value) => core.redact(value),
    childEvent: (agentId, event) => core.emit("subagent_event", { agent_id: agentId, event }),
    warn: (message) => core.warn(message, "subagent"),
    open: (child) => create({ ...childOptions(core, child, exchange), directory }),
  };
}

/** The parent decides how deep children may be nested and which kinds they may be. */
export function mayHaveChildren({ options, config }: HostChoices): boolean {
  return (options.depth ?? 0) < config.maxSubagentDepth && options.spawns?.length !== 0;
}

/** Makes the children available to tools, and their results readable by address. */
export function offerChildren(core: Toolbox, subagents: Subagents): void {
  Object.assign(core.services, { subagents });
  addAgentAddresses(core.schemes, subagents);
}

function childOptions(
  core: SessionLog & HostChoices & Toolbox,
  child: ChildOpening,
  exchange: Exchange | undefined,
): SessionOptions {
  const { options, config, services } = core;
  const { depth = 0, surroundings, middleware = [] } = options;
  const { header, profile, role, type, completion, shared, onEvent } = child;
  const env = child.env ?? options.env;
  // A replay would not find the same files.
  const around: typeof surroundings =
    surroundings && !options.subagents?.isTaped
      ? async (own, where) => {
          const { notes: _, ...rest } = await surroundings(own, where);
          return withTree(rest, where);
        }
      : surroundings;
  const { agentId, cwd } = header;
  const place = cwd === options.env.workingDirectory() ? env : new ScopedEnvironment(env, cwd);
  const engine = type?.engine?.({ agentId, env: place });
  return {
    profile,
    onEvent,
    agentId,
    depth: depth + 1,
    spawns: type ? (type.spawns ?? []) : options.spawns,
    assignment: child.assignment,
    env: place,
    sharedEnv: true,
    client: engine?.client ?? options.client,
    ...(engine ? { beforeClose: () => engine.close() } : {}),
    deps: options.deps,
    artifacts: core.artifacts,
    journal: options.subagents?.journal?.(header),
    config: {
      ...config,
      reasoningEffort: profile.reasoningEffort ?? config.reasoningEffort,
      // Input that reaches a child late must still run, because the sender would not send it again.
      lateSteering: "run",
      // The child ends with its answer, and commands still running then would be lost.
      asyncCommands: false,
      autoBackgroundMs: 0,
      jobReports: "wait",
    },
    services: {
      ...options.services,
      // A question ends the child's input. The parent reads the question there and sends the answer.
      answerer: undefined,
      // The plan belongs to the session.
      planMode: undefined,
      ...(completion ? { completion } : {}),
      ...(type?.reading ? { reading: { ...options.services?.reading, ...type.reading } } : {}),
      // In its own copy, a child does not get in another agent's way.
      ...(child.env && options.services?.web
        ? { web: { ...options.services.web, gate: options.services.web.gate.inside(child.env) } }
        : {}),
      ...(services.pathLocks && !child.env ? { pathLocks: services.pathLocks } : {}),
    },
    surroundings: around && shared ? shared.surroundings(around) : around,
    userInstructions: childInstructions(child, options.userInstructions),
    tools: childTools(child, role?.tools ?? options.tools, exchange, engine),
    exchange,
    toolProviders: [
      hideMainOnly(type),
      ...(options.toolProviders ?? []).map((provider) => narrowProvider(provider, type)),
    ],
    middleware: [...middleware, ...(type?.middleware ?? []), ...(completion ? [completion.middleware()] : [])],
    // All agents share the files under local://.
    schemes: { ...options.schemes, ...services.schemes?.pick("local") },
    priceOf: options.priceOf,
    profilesForRole: options.profilesForRole,
    // Work in an isolated copy changes no files until it is applied.
    aroundExecute: child.env ? undefined : options.aroundExecute,
    aroundAccess: options.aroundAccess,
    aroundNested: options.aroundNested,
    redactor: options.redactor,
    asksAboutSecrets: options.asksAboutSecrets,
    subagents: child.env ? { ...options.subagents, isApart: true } : options.subagents,
  };
}

/** The parent's tools that the child's kind allows, then the tools of every agent, then those of its engine. */
function childTools(
  { type, completion }: ChildOpening,
  tools: readonly SessionTool[] = [],
  exchange: Exchange | undefined,
  engine: AgentEngine | undefined,
): readonly SessionTool[] {
  const everyones = [...(completion ? [yieldTool, reportFindingTool] : []), ...(exchange ? [ircTool] : [])];
  return [...tools.filter((tool) => isAllowed(type, tool)), ...everyones.map(asSessionTool), ...(engine?.tools ?? [])];
}

const asSessionTool = (tool: unknown): SessionTool => tool as SessionTool;
/** Features that belong to the session that talks with the user. */
const MAIN_ONLY: ReadonlySet<string> = new Set(["todo", "plan"]);

/** Hides tools that a child does not need and those that its kind does not list. */
const hideMainOnly = (type: AgentType | undefined): ToolProvider => ({
  tools: () => NO_TOOLS,
  hides: (tool) => MAIN_ONLY.has(tool.feature ?? "") || !isAllowed(type, tool),
});
/** Returning the same array means that nothing has changed. */
const NO_TOOLS: readonly SessionTool[] = [];

function narrowProvider(provider: ToolProvider, type: AgentType | undefined): ToolProvider {
  if (!type?.allows) return provider;
  let seen: readonly SessionTool[] | undefined;
  let kept: readonly SessionTool[] = NO_TOOLS;
  const allowedTools = (): readonly SessionTool[] => {
    const tools = provider.tools();
    // The session that receives a promise reports it.
    if (!Array.isArray(tools)) return tools;
    if (tools !== seen) kept = tools.filter((tool) => isAllowed(type, tool));
    seen = tools;
    return kept;
  };
  return {
    tools: allowedTools,
    // A kind without the search tool is offered from the start what the search would find.
    hides: (tool) =>
      (provider.hides?.(tool) ?? false) && !(tool.loadMode === "discoverable" && allowedTools().length === 0),
  };
}

function isAllowed(type: AgentType | undefined, tool: SessionTool): boolean {
  return type?.allows?.(toolDefOf(tool)) ?? true;
}
