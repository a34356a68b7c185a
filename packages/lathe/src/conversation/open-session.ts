// Sets up a session: environment, profile, journal, permissions, services. Every mode starts here.

import { existsSync, realpathSync } from "node:fs";
import type { PermissionMode } from "@lathe/agent";
import {
  type Answer,
  type AskedGit,
  askGit,
  type BudgetConfig,
  CachedScans,
  Checkpoints,
  type ExecutionEnvironment,
  type FamilyName,
  familyOf,
  type Middleware,
  type MoreSurroundings,
  PendingActions,
  type PlanVerdict,
  type Profile,
  type Question,
  type Rewinder,
  RunningCommands,
  type RunningTerminal,
  readSurroundings,
  Session,
  type SessionEvent,
  type Surroundings,
  type TerminalSize,
  type ToolProvider,
} from "@lathe/agent";
import { messageOf, type ProviderAdapter } from "@lathe/llm";
import { IsolationWhenNeeded } from "../changes/isolation/when-needed.ts";
import { fileHistory, noHistory } from "../changes/rewind/file-history.ts";
import { confined, thisMachine } from "../config/workspace/this-machine.ts";
import type { Workspace } from "../config/workspace/workspace.ts";
import { SessionAgents } from "../found/agents/session-agents.ts";
import type { DiscoveryWarning } from "../found/discovery/types.ts";
import { warningLine } from "../found/discovery/warning-line.ts";
import { onDisk } from "../found/permissions/on-disk.ts";
import { permissionCommand } from "../found/permissions/permission-command.ts";
import { Permissions } from "../found/permissions/permissions.ts";
import { rememberedIn } from "../found/permissions/remembered.ts";
import { SearchGuard } from "../found/permissions/search-guard.ts";
import { adapterOf, connect, type ModelChoice, type ModelOverrides, modelsOf } from "../models/connect.ts";
import type { FallbackParts } from "../models/fallback.ts";
import { profileFor } from "../models/profile.ts";
import { smallModels, summaryModels, visionModels } from "../models/side-models.ts";
import type { ExtensionScreen } from "../platform/extension-api/screen.ts";
import { deskOf } from "../platform/machine/desk.ts";
import { usageError } from "../platform/usage/exit.ts";
import { type OpenedJournal, readJournal } from "../sessions/journals/journal-files.ts";
import { type AdditionEntry, Additions } from "./additions.ts";
import { Approvals, type Approver, NOBODY } from "./approvals.ts";
import { answererWithin } from "./ask-timeout.ts";
import { childFiles } from "./child-journals.ts";
import { compactionFor, type SessionCompaction } from "./compaction.ts";
import { earlierSessions } from "./handoff.ts";
import { manualAddresses } from "./manual/manual-addresses.ts";
import { Planning, planFileOf, wasPlanning } from "./plan/plan-mode.ts";
import { PlanModel } from "./plan/plan-model.ts";
import { promptFiles } from "./prompt-files.ts";
import { sessionConfig, waits } from "./session-config.ts";
import { settledServices } from "./settled-services.ts";
import { openedOnUse, SwitchableClient } from "./switchable-client.ts";
import type { Tape } from "./tape.ts";
import { TodoUpkeep } from "./todo/upkeep.ts";

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
  /** Runs git and opens the connection while the session is being set up. Absent: a person may take long to type. */
  readonly promptFollows?: boolean;
  /** Set when the run is recorded or replayed. */
  readonly tape?: Tape;
  /** How questions and approvals reach a person; absent when nobody is there. */
  readonly person?: Person;
  /** A program that answers questions about calls. */
  readonly permissionCommand?: string;
  /** Tools that the host may add and remove. */
  readonly toolProviders?: readonly ToolProvider[];
  /** Where tools work; this machine when absent. */
  readonly environment?: (workspace: Workspace, warn: (message: string, code: string) => void) => ExecutionEnvironment;
  /** Parts of the product that may add to the session. */
  readonly additions?: readonly AdditionEntry[];
  /** Called with each event as it happens; must not throw. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** A person approved this plan. */
  readonly onPlan?: (plan: string) => void;
}

interface RunLimits {
  readonly maxTurns?: number;
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
  /** The run is the whole session: what its earlier processes spent is included. */
  readonly ofSession?: boolean;
}

export interface Person {
  /** Dialogs and signs of extensions. */
  readonly extensionUi?: ExtensionScreen;
  /** Absent: calls that need approval are denied. */
  readonly approve?: Approver;
  /** `touched`: somebody has begun to answer. */
  readonly answer?: (
    questions: readonly Question[],
    signal: AbortSignal,
    touched?: () => void,
  ) => Promise<readonly Answer[] | undefined>;
  readonly decidePlan?: (plan: string, signal: AbortSignal) => Promise<PlanVerdict | undefined>;
  /** Shows the terminal of a command, to type in. Returns how to take it away. */
  readonly showTerminal?: (terminal: RunningTerminal) => () => void;
  /** How large it would be. */
  readonly terminalSize?: () => TerminalSize;
}

export interface OpenSession {
  readonly session: Session;
  readonly client: SwitchableClient;
  readonly permissions: Permissions;
  readonly compaction: SessionCompaction;
  /** Commands that calls wait for, also those of subagents. */
  readonly runningCommands: RunningCommands;
  readonly journal: OpenedJournal;
  readonly limits: RunLimits;
  /** Takes effect with the next request. */
  readonly model: ModelChoice;
  /** Profile and adapter for another model, for a switch inside the session. */
  switchModel(selector: string): Promise<ModelChoice>;
  rewinder(): Promise<Rewinder>;
  /** What skills, servers, extensions and the like have brought. */
  readonly additions: Additions;
  close(): Promise<void>;
}

/** git may take this long before the first request goes out without its snapshot. */
const GIT_PATIENCE_MS = 30;

export async function openSession(workspace: Workspace, request: SessionRequest): Promise<OpenSession> {
  // Beside the rest of the start.
  const adding = Additions.make(workspace, request);
  try {
    return await openWith(workspace, request, adding);
  } catch (error) {
    await (await adding).close();
    throw error;
  }
}

async function openWith(
  workspace: Workspace,
  request: SessionRequest,
  adding: Promise<Additions>,
): Promise<OpenSession> {
  const homes = { userHome: realPath(workspace.machine.userHome), latheHome: realPath(workspace.paths.home) };
  const planFile = planFileOf(workspace, request.opened);
  const permissions = new Permissions({
    mode: wasPlanning(workspace, request.opened) ? "plan" : (workspace.settings.permissionMode as PermissionMode),
    canAsk: request.person?.approve !== undefined,
    places: { roots: workspace.roots, ...homes, onDisk: onDisk(homes) },
    rules: workspace.rules,
    // A recording holds them with the other rules.
    ...(request.tape ? {} : { remembered: rememberedIn(workspace) }),
    isSandboxed: () => env.isSandboxed,
    privateFolders: () => env.privateFolders,
    planFile,
    onMode: () => {
      planning.changed();
      planModel
        .follow()
        .catch((error: unknown) =>
          session.warn(`The model for planning is not used: ${messageOf(error)}`, "plan_model"),
        );
    },
    ...(request.permissionCommand === undefined || request.tape
      ? {}
      : { command: permissionCommand(workspace, request.permissionCommand) }),
  });
  const warn = (message: string, code: string): void => session.warn(message, code);
  const machine =
    request.environment?.(workspace, warn) ?? thisMachine(workspace, { roots: () => permissions.roots, warn });
  const guarded = (place: ExecutionEnvironment): ExecutionEnvironment =>
    new SearchGuard(new CachedScans(place), permissions);
  const env = guarded(machine);
  if (env.isSandboxed) await confined(env);
  let git = asksEarly(request) ? askGit(env, GIT_PATIENCE_MS) : undefined;
  // A failure is reported to whoever awaits this; without a model nothing does.
  git?.catch(() => {});
  const models = await modelsOf(workspace);
  const adapter = request.adapter ?? (await connect(workspace, request.model, request.overrides));
  if (request.promptFollows) adapter.prepare?.();
  const client = new SwitchableClient(request.model.provider, adapter, workspace);
  const compaction = compactionFor(workspace);
  const runningCommands = new RunningCommands();
  let current = request.model;
  const history = keepsFiles(workspace, request)
    ? fileHistory({
        workspace,
        env,
        journal: request.opened.journal,
        warn: (message, code) => session.warn(message, code),
      })
    : undefined;
  const { opened } = request;
  const isolated = worksHere(request)
    ? new IsolationWhenNeeded({ workspace, ...opened, history, guard: guarded })
    : undefined;
  await isolated?.recover();
  const agents = new SessionAgents({
    workspace,
    models,
    current: () => current,
    places: () => ({ roots: permissions.roots, ...homes, onDisk: onDisk(homes) }),
    bundledOnly: request.tape !== undefined,
    isolated,
  });
  const wish = { ...request, agentTool: await agents.tool() };
  const switchTo = async (choice: ModelChoice, role?: string, reason?: string): Promise<void> => {
    const overrides = choice.provider === request.model.provider ? request.overrides : undefined;
    client.rest(current.provider);
    client.add(choice.provider, await connect(workspace, choice, overrides));
    // A larger model that steps in goes on with the tools that the history knows.
    const goesOn = role === "temporary" && session.profile.id === "minimal" && familyOf(choice.id) === "lathe";
    const own = goesOn ? { ...wish, profile: "minimal" as const } : wish;
    session.setProfile(profileFor(workspace, own, choice), role, reason);
    Object.assign(session.config, { reasoningEffort: choice.effort, ...waits(workspace, models, choice) });
    current = choice;
  };
  const planModel = new PlanModel({
    workspace,
    models,
    isPlanning: () => permissions.mode === "plan" && !request.adapter,
    current: () => current,
    switchTo,
  });
  const promotion = workspace.settings["contextPromotion.enabled"]
    ? (await import("../models/promotion.ts")).contextPromotion({
        models,
        current: () => current,
        switchTo: (choice) => switchTo(choice, "temporary"),
        isFull: (info) => compaction.compaction.isFull(info),
      })
    : undefined;
  const fallback = await fallbackOf(workspace, request, {
    models,
    current: () => current,
    effort: () => session.config.reasoningEffort,
    switchTo,
  });
  /** Of another model than the session's. */
  const profileOf = (choice: ModelChoice): Profile => {
    const { provider } = choice;
    if (!client.has(provider))
      client.add(
        provider,
        openedOnUse(provider, () => adapterOf(workspace, models, choice)),
      );
    return profileFor(workspace, wish, choice);
  };
  const childProfile = (choice: ModelChoice): Profile => ({ ...profileOf(choice), reasoningEffort: choice.effort });
  const profile = profileFor(workspace, wish, request.model);
  const planning: Planning = new Planning(
    {
      session: () => session,
      permissions,
      cwd: workspace.cwd,
      file: planFile,
      userInstructions: request.userInstructions,
      readingProfile: () => profileFor(workspace, { ...wish, tools: readingTools(profile) }, current),
      decide: request.person?.decidePlan,
      onPlan: request.onPlan,
    },
    request.opened.journal.context.state.mode === "plan",
  );
  const upkeep = new TodoUpkeep({
    session: () => session,
    setTimer: workspace.machine.deps.setTimer,
    clearDelay: request.tape ? -1 : workspace.settings["tasks.todoClearDelay"],
  });
  const additions = await adding;
  const warnOfFile = (warning: DiscoveryWarning): void => session.warn(warningLine(warning), "discovery");
  const unattended = request.person?.approve ? undefined : new Approvals(NOBODY);
  const patience = {
    seconds: workspace.settings["ask.timeout"],
    setTimer: workspace.machine.deps.setTimer,
    isPlanning: () => permissions.mode === "plan",
  };
  const providers = [...(request.toolProviders ?? []), ...additions.toolProviders];
  const pendingActions = new PendingActions({
    isOffered: () => providers.some((provider) => provider.tools().some(mayDefer)),
    force: (choice) => {
      if (!session.profile.modelInfo?.refusesForcedTools) session.forceToolChoice(choice);
    },
  });
  let made: Session | undefined;
  const session: Session = new Session({
    profile,
    env,
    sharedEnv: request.environment !== undefined,
    client,
    deps: workspace.machine.deps,
    journal: request.opened.journal,
    earlierSessions: () => earlierSessions(request.opened.journal, (path) => readJournal(workspace, path)),
    config: { ...sessionConfig(workspace, request), ...waits(workspace, models, request.model) },
    surroundings: (chosen, where) => {
      const asked = where === env ? git : undefined;
      git = undefined; // what it says is of now
      const read = async (): Promise<Surroundings> =>
        surroundings(workspace, chosen, where, await promptFiles(workspace, request, additions, warnOfFile), asked);
      return request.tape ? request.tape.surroundings(read) : read();
    },
    redactor: workspace.redactor,
    profilesForRole: (role) => {
      if (request.adapter) return [];
      const own = (choice: ModelChoice): Profile => (choice === current ? session.profile : profileOf(choice));
      if (role === "title" || role === "smol") return smallModels(models, current).map(own);
      if (role === "vision") return visionModels(models, current).map(own);
      return role === "summary" ? summaryModels(models, current).map(own) : [];
    },
    ...(request.tape ? { aroundExecute: request.tape.aroundExecute, aroundAccess: request.tape.aroundAccess } : {}),
    ...(history ? { aroundExecute: history.aroundExecute, beforeClose: history.settle } : {}),
    // A larger model first: nothing is left out then.
    middleware: [
      announceCommands(runningCommands),
      ...(promotion ? [promotion] : []),
      ...(fallback ? [fallback] : []),
      compaction.compaction.middleware(),
      permissions.middleware(),
      planning.middleware(),
      upkeep.middleware(),
      pendingActions.middleware(),
      ...(history ? [history.middleware] : []),
      ...additions.middleware,
    ],
    toolProviders: [...providers, pendingActions],
    schemes: { lathe: manualAddresses(), ...additions.schemes },
    onEvent: (event) => {
      history?.follow(event);
      if (event.kind === "tool_call_end") runningCommands.callEnds(event.data.call_id);
      // The first events come while the session is being made.
      if (made) unattended?.follow(made, permissions, event);
      request.onEvent?.(event);
    },
    services: {
      ...settledServices(workspace),
      ...(request.person?.answer ? { answerer: answererWithin(request.person.answer, patience) } : {}),
      // Without a person nobody could send a command to the background.
      ...(request.person ? { runningCommands } : {}),
      ...shownTerminals(request.person),
      planMode: planning.service(),
      pendingActions,
    },
    subagents: {
      ...agents.options(),
      // A run in a view: its agents work in it.
      isApart: request.environment !== undefined,
      defaultRole: () => planning.childRole(),
      profileFor: (selector) => childProfile(models.choose(selector)),
      ...childFiles(workspace, request.opened.folder),
    },
  });
  made = session;
  agents.opened((message) => session.warn(message, "agents"), session.beside);
  if (workspace.settings["checkpoint.enabled"]) addCheckpoints(session);
  session.config.budget = budgetOf(workspace, request, session.spent);
  await history?.finishCut(session);
  await planModel.follow();
  return {
    session,
    client,
    permissions,
    compaction,
    runningCommands,
    journal: request.opened,
    limits: request.limits,
    get model() {
      return current;
    },
    switchModel: async (selector) => {
      const choice = await models.find(selector);
      await switchTo(choice);
      return choice;
    },
    rewinder: async () => {
      if (history) return history.rewinder(session);
      throw noHistory(workspace);
    },
    additions,
    close: async () => {
      upkeep.close();
      await additions.closing();
      await session.close();
      await additions.close();
      await client.close();
    },
  };
}

async function fallbackOf(
  { settings }: Workspace,
  { adapter, limits }: SessionRequest,
  parts: Omit<FallbackParts, "selectors" | "needsPrice">,
): Promise<Middleware | undefined> {
  const selectors = settings["retry.fallbackModels"];
  if (selectors.length === 0 || adapter) return undefined;
  const needsPrice = (limits.maxCost ?? settings["limits.maxCost"]) > 0;
  return (await import("../models/fallback.ts")).modelFallback({ ...parts, selectors, needsPrice });
}

/** What a child may use while nothing may be changed. */
const readingTools = ({ toolRegistry }: Profile): string[] =>
  toolRegistry.names().filter((name) => {
    const tool = toolRegistry.get(name)?.tool;
    const tier = typeof tool?.tier === "function" ? tool.tier({}) : tool?.tier;
    return tier === "read" && !tool?.sessionOnly;
  });

/** A recording replays what calls returned, not what they did; on other machines there is nothing to look at from here. */
const keepsFiles = ({ settings }: Workspace, { opened, tape, environment }: SessionRequest): boolean =>
  settings["rewind.enabled"] && opened.path !== undefined && !tape && !environment;

/** A recording cannot land anything, and elsewhere there are no files of ours. */
const worksHere = ({ tape, environment }: SessionRequest): boolean => !tape && !environment;

const mayDefer = (tool: object): boolean => "deferrable" in tool && tool.deferrable === true;

/** For this session only, not for its children. */
function addCheckpoints(session: Session): void {
  const checkpoints = new Checkpoints();
  for (const tool of checkpoints.tools()) session.registerTool(tool);
  session.use(checkpoints.middleware());
}

/** Limits apply to this run: what the session spent before is not included. */
function budgetOf(workspace: Workspace, { limits, model }: SessionRequest, spent: Session["spent"]): BudgetConfig {
  const turns = limits.maxTurns ?? workspace.settings["limits.maxTurns"];
  const usd = limits.maxCost ?? workspace.settings["limits.maxCost"];
  if (limits.maxCost !== undefined && !model.info?.cost && model.provider !== "practice") {
    throw usageError(
      `The price of ${model.provider}/${model.id} is not known, so --max-cost cannot be enforced. Use --max-turns, or give its cost in models.yml.`,
    );
  }
  const before = limits.ofSession ? { turns: 0, usd: 0, wallMs: 0 } : spent;
  return {
    ...(turns > 0 ? { turns: before.turns + turns } : {}),
    ...(usd > 0 ? { usd: before.usd + usd } : {}),
    ...(limits.maxTimeMs === undefined ? {} : { wallMs: before.wallMs + limits.maxTimeMs }),
  };
}

/** A session with a prefix already holds git's answer, and a tape replays it. */
const asksEarly = ({ promptFollows, opened, tape }: SessionRequest): boolean =>
  promptFollows === true && opened.journal.prefix === undefined && tape === undefined;

function surroundings(
  workspace: Workspace,
  profile: Profile,
  env: ExecutionEnvironment,
  more: MoreSurroundings,
  git: Promise<AskedGit> = askGit(env, GIT_PATIENCE_MS),
): Promise<Surroundings> {
  const info = profile.modelInfo;
  const known = {
    now: workspace.machine.deps.now(),
    model: info?.displayName ?? profile.model,
    ...(info?.knowledgeCutoff === undefined ? {} : { knowledgeCutoff: info.knowledgeCutoff }),
    ...deskOf(workspace.env),
    git,
  };
  return readSurroundings(env, profile.instructionFiles, known, more);
}

/** For a directory that does not exist yet, its path as written. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path;
}

/** A command can be sent to the background from the moment that its call begins. */
const announceCommands = (commands: RunningCommands): Middleware => ({
  name: "running commands",
  beforeCall: ({ callId, tier }) => {
    if (tier === "exec") commands.callBegins(callId);
    return undefined;
  },
});

function shownTerminals(person: Person | undefined): Pick<Person, "showTerminal" | "terminalSize"> {
  const { showTerminal, terminalSize } = person ?? {};
  return showTerminal && terminalSize ? { showTerminal, terminalSize } : {};
}
