// One run of the process: what outlives its sessions and workspaces. Made once at the top; other code gets the members
// it needs, never the run itself.

import { SharedCodeIndexes } from "../additions/code-index/shared-code-indexes.ts";
import { ExtensionHosts } from "../additions/extensions/extension-hosts.ts";
import { type AdditionChoices, additionsOf } from "../additions/list.ts";
import type { LastingServers } from "../additions/lsp/lasting-servers.ts";
import type { McpServers } from "../additions/mcp/addition.ts";
import { loadNamedProvider } from "../additions/named-provider.ts";
import { SharedBySessions } from "../additions/shared-by-sessions.ts";
import type { CredentialSource } from "../config/credentials/source.ts";
import { type AlreadyReported, nothingReported } from "../config/workspace/already-reported.ts";
import { openWorkspace, openWorkspaceAt, type Workspace } from "../config/workspace/workspace.ts";
import type { SessionOpener } from "../conversation/commands/serve-command.ts";
import type { RequestFor } from "../conversation/next-session.ts";
import { type Presence, sessionRequest } from "../conversation/session-request.ts";
import type { SessionWorkspace } from "../conversation/session-workspace.ts";
import type { SharedPerson } from "../conversation/shared-person.ts";
import type { Discovery } from "../found/discovery/discovery.ts";
import { readModels } from "../models/connect.ts";
import { openAccounts } from "../models/credentials.ts";
import type { Models } from "../models/models.ts";
import type { SecretCommands } from "../models/secret-command.ts";
import type { Machine } from "../platform/machine/machine.ts";
import type { CliOptions } from "../platform/options/option-table.ts";

export interface RequestOptions {
  readonly presence?: Presence;
  readonly additions?: AdditionChoices;
  /** Measures how long a step of the start takes. */
  phase?<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export class Run {
  readonly machine: Machine;
  /** Opens a session of the terminal to other clients; set by the command that can. */
  opensSessions: ((person: SharedPerson) => SessionOpener) | undefined;
  readonly reported: AlreadyReported = nothingReported();
  readonly extensions = new ExtensionHosts();
  readonly mcpServers = new SharedBySessions<McpServers>();
  readonly languageServers = new SharedBySessions<LastingServers>();
  readonly indexes = new SharedCodeIndexes();
  readonly memoryBanks = new Set<string>();
  /** A workspace opened before the command line was parsed; the run continues with it. */
  #prepared: SessionWorkspace | undefined;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  /** The workspace of the run. `machine` may be a variant of the run's, such as one whose stderr is a view. */
  async open(options: CliOptions, machine = this.machine): Promise<SessionWorkspace> {
    const early = this.#prepared;
    this.#prepared = undefined;
    if (!early) return this.at(await openWorkspace(machine, options, this.reported));
    const { unread: _, ...extensions } = early.extensions;
    return { ...early, machine, extensions: { ...extensions, flags: options.extensionFlags ?? {} } };
  }

  /** The workspace of another directory, for a session that moves. */
  async openAt(cwd: string, options: CliOptions, machine = this.machine): Promise<SessionWorkspace> {
    return this.at(await openWorkspaceAt(machine, options, cwd, this.reported));
  }

  /** Adds what belongs to the place; each part is read on first use and shared by all copies of the workspace. */
  at(workspace: Workspace): SessionWorkspace {
    let models: Promise<Models> | undefined;
    let secrets: SecretCommands | undefined;
    let accounts: CredentialSource | undefined;
    let discovery: Promise<Discovery> | undefined;
    const here: SessionWorkspace = {
      ...workspace,
      models: () => {
        models ??= readModels(here);
        return models;
      },
      secretFrom: async (command) => {
        const { SecretCommands } = await import("../models/secret-command.ts");
        secrets ??= new SecretCommands(here);
        return secrets.outputOf(command);
      },
      accounts: () => {
        accounts ??= openAccounts(here);
        return accounts;
      },
      discovery: () => {
        discovery ??= import("../found/discovery/discovery.ts").then(({ discoveryFor }) => discoveryFor(here));
        return discovery;
      },
    };
    return here;
  }

  /** Loads the extensions of this place to learn their options. Their factories get `argv` until it is parsed. */
  async prepare(options: CliOptions, argv: readonly string[]): Promise<SessionWorkspace> {
    const workspace = await this.open(options);
    // Problems with models.yml are reported now, before a screen owns the terminal.
    await workspace.models();
    this.#prepared = { ...workspace, extensions: { ...workspace.extensions, unread: argv } };
    return this.#prepared;
  }

  /** Makes the request for each session of the run. */
  requestFor(workspace: SessionWorkspace, options: CliOptions, how: RequestOptions = {}): RequestFor {
    const { presence, additions = {}, phase = (_name, work) => work() } = how;
    return (opened, place = workspace) =>
      phase("model", async () => {
        await loadNamedProvider(place, options, this.extensions);
        return {
          ...(await sessionRequest(place, options, opened, presence)),
          additions: additionsOf(this, { learns: presence?.interactive === true, ...additions }),
        };
      });
  }
}
