// Makes what the parts of a session share: its environment, its permissions and its models.

import { existsSync, realpathSync } from "node:fs";
import type { ExecutionEnvironment } from "@lathe/agent";
import type { JournalReader } from "@lathe/agent/contract";
import type { PermissionMode, Places } from "@lathe/agent/policy";
import { RunningCommands } from "@lathe/agent/tools";
import { LazyIsolation } from "../changes/isolation/lazy-isolation.ts";
import { fileHistory } from "../changes/rewind/file-history.ts";
import type { AccountChoices } from "../config/credentials/accounts/choices.ts";
import { checkSandbox, thisMachine } from "../config/workspace/this-machine.ts";
import { SessionAgents } from "../found/agents/session-agents.ts";
import { onDisk } from "../found/permissions/on-disk.ts";
import { permissionCommand } from "../found/permissions/permission-command.ts";
import { Permissions } from "../found/permissions/permissions.ts";
import { rememberedIn } from "../found/permissions/remembered.ts";
import { SearchGuard } from "../found/permissions/search-guard.ts";
import { ShownAddresses } from "../found/permissions/shown-addresses.ts";
import { accountChoicesFor } from "../models/account-choices.ts";
import { connect } from "../models/connect.ts";
import { compactionFor } from "./compaction.ts";
import type { InstructionSources } from "./instruction-texts.ts";
import { planFileOf, wasPlanning } from "./plan/plan-mode.ts";
import type { SessionRequest } from "./session-contract.ts";
import { SessionHandle } from "./session-handle.ts";
import { SessionModels } from "./session-models.ts";
import type { SessionBase } from "./session-parts/base.ts";
import { SessionSurroundings } from "./session-surroundings.ts";
import type { SessionWorkspace } from "./session-workspace.ts";
import { SwitchableClient } from "./switchable-client.ts";

/** The workspace with the account choices of this session. */
export interface SessionPlace {
  readonly workspace: SessionWorkspace;
  readonly accounts: AccountChoices;
}

export function placeOfSession(workspace: SessionWorkspace, { opened }: SessionRequest): SessionPlace {
  const accounts = accountChoicesFor(workspace, opened.journal);
  return { workspace: { ...workspace, accountChoices: accounts }, accounts };
}

/** `hasFiles` says whether discovery would find anything here. */
export async function sessionBase(
  { workspace, accounts }: SessionPlace,
  request: SessionRequest,
  hasFiles: () => boolean,
): Promise<SessionBase> {
  const session = new SessionHandle();
  const homes = { userHome: realPath(workspace.machine.userHome), latheHome: realPath(workspace.paths.home) };
  const places = (roots: readonly string[]): Places => ({ roots, ...homes, onDisk: onDisk(homes) });
  const families = () => models.profileFor(request.model).instructionFiles;
  const sources = { workspace, request, env: () => env, families };
  const permissions = permissionsFor(sources, places(workspace.roots));
  const guard = (place: ExecutionEnvironment): ExecutionEnvironment => new SearchGuard(place, permissions);
  const env = guard(
    request.environment?.(workspace, session.warn) ??
      machineFor(request, thisMachine(workspace, { roots: () => permissions.roots, warn: session.warn })),
  );
  if (env.isSandboxed) await checkSandbox(env);
  const surroundings = new SessionSurroundings({ workspace, request, session, env, hasFiles });
  const known = await workspace.models();
  const adapter = request.adapter ?? (await connect(workspace, request.model, request.overrides));
  if (request.promptFollows) adapter.prepare?.();
  const client = new SwitchableClient(request.model.provider, adapter, workspace);
  const history = keepsFiles(workspace, request)
    ? fileHistory({ workspace, env, journal: request.opened.journal, warn: session.warn })
    : undefined;
  const isolation = worksHere(request)
    ? new LazyIsolation({ workspace, ...request.opened, history, guard: guard })
    : undefined;
  const agents = new SessionAgents({
    workspace,
    models: known,
    current: () => models.current,
    places: () => places(permissions.roots),
    bundledOnly: request.tape !== undefined,
    canIsolate: isolation !== undefined,
  });
  const agentTool = await agents.tool(hasFiles());
  const models = new SessionModels({ workspace, request, session, client, known, agentTool });
  return {
    workspace,
    request,
    session,
    permissions,
    env,
    accounts,
    client,
    models,
    profile: models.profileFor(request.model),
    surroundings,
    compaction: compactionFor(workspace),
    runningCommands: new RunningCommands(),
    history,
    isolation,
    agents,
  };
}

const machineFor = ({ aroundMachine }: SessionRequest, env: ExecutionEnvironment): ExecutionEnvironment =>
  aroundMachine ? aroundMachine(env) : env;

/** `env` is the environment of the session, which asks these permissions itself. */
function permissionsFor(sources: InstructionSources, places: Places): Permissions {
  const { workspace, request, env } = sources;
  const { journal } = request.opened;
  return new Permissions({
    mode: wasPlanning(workspace, request.opened) ? "plan" : (workspace.settings.permissionMode as PermissionMode),
    canAsk: request.person?.approve !== undefined,
    places,
    rules: workspace.rules,
    // A recording already contains them among its rules.
    ...(request.tape ? {} : { remembered: rememberedIn(workspace), shown: shownAddressesIn(journal, sources) }),
    isSandboxed: () => env().isSandboxed,
    privateFolders: () => env().privateFolders,
    planFile: planFileOf(workspace, request.opened),
    ...(request.permissionCommand === undefined || request.tape
      ? {}
      : { command: permissionCommand(workspace, request.permissionCommand) }),
  });
}

const shownAddressesIn = (journal: JournalReader, sources: InstructionSources): ShownAddresses =>
  new ShownAddresses({
    journal,
    // Loaded with the first address, because most sessions read none.
    instructions: async (folder, isWritten) =>
      (await import("./instruction-texts.ts")).instructionTexts(sources, folder, isWritten),
  });

/**
 * A recording replays results of calls, not their effects; with another environment there are no local files to keep.
 */
const keepsFiles = ({ settings }: SessionWorkspace, { opened, tape, environment }: SessionRequest): boolean =>
  settings["rewind.enabled"] && opened.path !== undefined && !tape && !environment;

/** A recording cannot land changes, and another environment has no local files. */
const worksHere = ({ tape, environment }: SessionRequest): boolean => !tape && !environment;

/** A folder that does not exist yet keeps its path as written. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path;
}
