// How a session starts its child agents and receives their events: what a child has of its parent's is listed here, the rest is its own.

import { ScopedEnvironment } from "../env/wrappers.ts";
import type { Middleware } from "../seams/types.ts";
import type { ChildOpening, ChildSession, ParentSession } from "../subagents/types.ts";
import type {
  ArtifactPart,
  ConfigPart,
  EventPart,
  HostPart,
  JournalPart,
  ProfilePart,
  SpendingPart,
  ToolPart,
} from "./parts.ts";
import type { SessionOptions } from "./types.ts";

/** A child is opened with its parent's options, except those that it has of its own. */
type Inherited = HostPart<keyof SessionOptions> & ConfigPart & Pick<ToolPart, "services"> & ArtifactPart;

export function parentSession(
  core: Inherited & JournalPart & EventPart & ProfilePart & SpendingPart,
  create: (options: SessionOptions) => ChildSession,
): ParentSession {
  return {
    journal: core.journal,
    env: core.options.env,
    options: core.options.subagents ?? {},
    ledger: core.ledger,
    get profile() {
      return core.profile;
    },
    get budget() {
      return core.config.budget;
    },
    elapsedMs: () => core.elapsedMs(),
    accountInput: (usage, cost) => core.accountInput(usage, cost),
    append: (entry) => void core.append(entry),
    childEvent: (agentId, event) => core.emit("subagent_event", { agent_id: agentId, event }),
    warn: (message) => core.warn(message, "subagent"),
    open: (child) => create(childOptions(core, child)),
  };
}

/** How deep children may be nested is the parent's to say. */
export function mayHaveChildren({ options, config }: HostPart<"depth"> & ConfigPart): boolean {
  return (options.depth ?? 0) < config.maxSubagentDepth;
}

function childOptions(core: Inherited, { header, profile, role, onEvent }: ChildOpening): SessionOptions {
  const { options, config, services } = core;
  const { env, depth = 0 } = options;
  const { agentId, cwd } = header;
  return {
    profile,
    onEvent,
    agentId,
    depth: depth + 1,
    env: cwd === env.workingDirectory() ? env : new ScopedEnvironment(env, cwd),
    sharedEnv: true,
    client: options.client,
    deps: options.deps,
    artifacts: core.artifacts,
    journal: options.subagents?.journal?.(header),
    config: {
      ...config,
      reasoningEffort: profile.reasoningEffort ?? config.reasoningEffort,
      // Input that reaches a child late must still run: nobody would send it again.
      lateSteering: "run",
      // Its answer is its end: what it left running would be lost.
      asyncCommands: false,
      autoBackgroundMs: 0,
      jobReports: "wait",
    },
    // What a child prepares would wait for the word of another.
    services: {
      ...options.services,
      pendingActions: undefined,
      ...(services.pathLocks ? { pathLocks: services.pathLocks } : {}),
    },
    surroundings: options.surroundings,
    userInstructions: role?.prompt ?? options.userInstructions,
    tools: role?.tools ?? options.tools,
    toolProviders: options.toolProviders,
    middleware: role?.middleware ? [...permissionsOf(options.middleware), ...role.middleware] : options.middleware,
    // What one of them leaves under local:// is there for all.
    schemes: { ...options.schemes, ...services.schemes?.pick("local") },
    priceOf: options.priceOf,
    profilesForRole: options.profilesForRole,
    aroundExecute: options.aroundExecute,
    aroundAccess: options.aroundAccess,
    redactor: options.redactor,
    subagents: options.subagents,
  };
}

/** A child is never permitted more than its parent: whatever else a role changes, the parent's permissions are asked as well. */
function permissionsOf(middleware: readonly Middleware[] = []): Middleware[] {
  return middleware.flatMap(({ name, timeoutMs, approve }) => (approve ? [{ name, timeoutMs, approve }] : []));
}
