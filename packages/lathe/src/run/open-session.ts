// Puts a session together: environment, profile, journal, permissions, services. Every mode starts here.

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Answerer,
  type ChildHeader,
  type ConfigInput,
  collectFacts,
  defineProfile,
  type ExecutionEnvironment,
  environmentBlock,
  FAMILIES,
  type FamilyName,
  FileStore,
  familyOf,
  Journal,
  LocalEnvironment,
  type PlanVerdict,
  type Profile,
  projectDocs,
  Session,
  type SessionEvent,
  type Surroundings,
  type ToolProvider,
  webFetchTool,
} from "@lathe/agent";
import { Client, type ProviderAdapter } from "@lathe/llm";
import { usageError } from "../cli/exit.ts";
import { journalDeps, lockOwner, type OpenedJournal } from "./journal-files.ts";
import { chooseModel, connect, type ModelChoice, type ModelOverrides } from "./model.ts";
import { type PermissionMode, Permissions } from "./permissions.ts";
import type { Workspace } from "./workspace.ts";

export interface SessionRequest {
  readonly model: ModelChoice;
  readonly overrides?: ModelOverrides;
  /** Answers instead of the model: for commands that look at a request or run one call. */
  readonly adapter?: ProviderAdapter;
  readonly opened: OpenedJournal;
  readonly profile?: FamilyName;
  readonly tools?: readonly string[];
  readonly systemPrompt?: string;
  readonly userInstructions?: string;
  readonly limits: RunLimits;
  /** How questions and approvals reach a person; absent when nobody is there. */
  readonly person?: Person;
  /** Tools that come and go with the host. */
  readonly toolProviders?: readonly ToolProvider[];
  /** Called with each event as it happens; must not throw. */
  readonly onEvent?: (event: SessionEvent) => void;
}

export interface RunLimits {
  readonly maxTurns?: number;
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
}

export interface Person {
  /** Approvals come as `approval_request` events and are answered on the session. */
  readonly answersApprovals: boolean;
  readonly answer?: Answerer;
  readonly decidePlan?: (plan: string, signal: AbortSignal) => Promise<PlanVerdict | undefined>;
}

export interface OpenSession {
  readonly session: Session;
  readonly client: SwitchableClient;
  readonly permissions: Permissions;
  readonly journal: OpenedJournal;
  /** Profile and adapter for another model, for a switch inside the session. */
  switchModel(selector: string): Promise<ModelChoice>;
  close(): Promise<void>;
}

/** git may take this long before the first request goes out without its snapshot. */
const GIT_PATIENCE_MS = 30;

export async function openSession(workspace: Workspace, request: SessionRequest): Promise<OpenSession> {
  const adapter = request.adapter ?? (await connect(workspace, request.model, request.overrides));
  const client = new SwitchableClient(request.model.provider, adapter, workspace);
  const env = new LocalEnvironment({
    cwd: workspace.cwd,
    baseEnv: workspace.env,
    envPolicy: workspace.settings["shell.environment"],
    owner: workspace.machine.deps.uuid(),
  });
  const permissions = new Permissions({
    mode: workspace.settings.permissionMode as PermissionMode,
    canAsk: request.person?.answersApprovals ?? false,
    roots: workspace.roots,
    env,
  });
  const profile = profileFor(workspace, request, request.model);
  const session = new Session({
    profile,
    env,
    client,
    deps: workspace.machine.deps,
    journal: request.opened.journal,
    config: sessionConfig(workspace, request),
    surroundings: (chosen, where) => surroundings(workspace, chosen, where),
    middleware: [permissions.middleware()],
    ...(request.toolProviders ? { toolProviders: request.toolProviders } : {}),
    ...(request.onEvent ? { onEvent: request.onEvent } : {}),
    services: {
      web: { fetch: { allowPrivate: workspace.settings["web.allowPrivate"] } },
      ...(request.person?.answer ? { answerer: request.person.answer } : {}),
      planMode: planMode(permissions, request.person),
    },
    subagents: {
      profileFor: (selector) => {
        const choice = chooseModel(workspace, selector);
        return choice.provider === request.model.provider ? profileFor(workspace, request, choice) : undefined;
      },
      ...(request.opened.folder === undefined ? {} : { journal: childJournals(workspace, request.opened.folder) }),
    },
  });
  return {
    session,
    client,
    permissions,
    journal: request.opened,
    switchModel: async (selector) => {
      const choice = chooseModel(workspace, selector);
      const overrides = choice.provider === request.model.provider ? request.overrides : undefined;
      client.add(choice.provider, await connect(workspace, choice, overrides));
      session.setProfile(profileFor(workspace, request, choice));
      session.config.reasoningEffort = choice.effort;
      return choice;
    },
    close: async () => {
      await session.close();
      await client.close();
    },
  };
}

function sessionConfig(workspace: Workspace, { limits, model }: SessionRequest): ConfigInput {
  const { settings } = workspace;
  const maxTurns = limits.maxTurns ?? settings["limits.maxTurns"];
  const maxCost = limits.maxCost ?? settings["limits.maxCost"];
  return {
    defaultCommandTimeoutMs: settings["shell.timeoutMs"],
    maxCommandTimeoutMs: settings["shell.maxTimeoutMs"],
    reasoningEffort: model.effort,
    toolOutputLimits: settings.toolOutputLimits,
    toolLineLimits: settings.toolLineLimits,
    steeringMode: settings.steeringMode,
    followUpMode: settings.followUpMode,
    interruptMode: settings.interruptMode,
    firstEventTimeoutMs: settings["timeouts.firstEvent"] * 1000,
    stallTimeoutMs: settings["timeouts.stall"] * 1000,
    retry: settings["retry.enabled"] ? { maxRetries: settings["retry.maxRetries"] } : { maxRetries: 0 },
    budget: {
      ...(maxTurns > 0 ? { turns: maxTurns } : {}),
      ...(maxCost > 0 ? { usd: maxCost } : {}),
      ...(limits.maxTimeMs === undefined ? {} : { wallMs: limits.maxTimeMs }),
    },
  };
}

function profileFor(workspace: Workspace, request: SessionRequest, model: ModelChoice): Profile {
  const family = FAMILIES[request.profile ?? familyOf(model.id)];
  const known = [...family.tools.map((tool) => tool.name), webFetchTool.name];
  const unknown = request.tools?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw usageError(`Unknown tool "${unknown}". This profile has: ${known.join(", ")}.`);
  const cap = workspace.settings.maxOutputTokens;
  const maxTokens = model.info?.maxOutput ? Math.min(model.info.maxOutput, cap) : cap;
  return defineProfile(family, {
    model: model.id,
    provider: model.provider,
    shellTimeoutMs: workspace.settings["shell.timeoutMs"],
    ...(model.info ? { modelInfo: model.info } : {}),
    ...(maxTokens > 0 ? { maxTokens } : {}),
    ...(request.systemPrompt === undefined ? {} : { basePrompt: request.systemPrompt }),
    ...(request.userInstructions === undefined ? {} : { userInstructions: request.userInstructions }),
    ...(request.tools === undefined ? {} : { only: request.tools }),
    ...(family.id === "minimal" ? {} : { tools: [webFetchTool as never] }),
  });
}

async function surroundings(workspace: Workspace, profile: Profile, env: ExecutionEnvironment): Promise<Surroundings> {
  const info = profile.modelInfo;
  const [facts, docs] = await Promise.all([
    collectFacts(env, {
      now: workspace.machine.deps.now(),
      model: info?.displayName ?? profile.model,
      ...(info?.knowledgeCutoff === undefined ? {} : { knowledgeCutoff: info.knowledgeCutoff }),
      gitTimeoutMs: GIT_PATIENCE_MS,
    }),
    projectDocs(env, profile.instructionFiles),
  ]);
  return { environment: environmentBlock(facts), projectDocs: docs };
}

function childJournals(workspace: Workspace, folder: string): (header: ChildHeader) => Journal {
  return ({ agentId, parentSession, parentCall, cwd }) => {
    const path = join(folder, `${agentId}.jsonl`);
    const store = (): FileStore => new FileStore(path, { owner: lockOwner(workspace), create: true });
    if (existsSync(path)) return Journal.open(store(), journalDeps(workspace));
    const header = { id: workspace.machine.deps.uuid(), cwd, agentId, parentSession, parentCall };
    return Journal.create(header, store, journalDeps(workspace));
  };
}

function planMode(permissions: Permissions, person: Person | undefined) {
  return {
    get active() {
      return permissions.mode === "plan";
    },
    async propose(plan: string, signal: AbortSignal): Promise<PlanVerdict | undefined> {
      const verdict = await person?.decidePlan?.(plan, signal);
      if (verdict?.approved) permissions.mode = "auto-edit";
      return verdict;
    },
  };
}

/** The client of a session whose model may change: adapters are added as they are needed. */
export class SwitchableClient {
  readonly #adapters: Record<string, ProviderAdapter> = {};
  readonly #workspace: Workspace;
  #client: Client;
  constructor(provider: string, adapter: ProviderAdapter, workspace: Workspace) {
    this.#workspace = workspace;
    this.#adapters[provider] = adapter;
    this.#client = this.#make();
  }
  add(provider: string, adapter: ProviderAdapter): void {
    this.#adapters[provider] = adapter;
    this.#client = this.#make();
  }
  complete: Client["complete"] = (request, context) => this.#client.complete(request, context);
  stream: Client["stream"] = (request, context) => this.#client.stream(request, context);
  segments: Client["segments"] = (request) => this.#client.segments(request);
  close(): Promise<void> {
    return this.#client.close();
  }
  #make(): Client {
    return new Client({ providers: this.#adapters, deps: this.#workspace.machine.deps });
  }
}
