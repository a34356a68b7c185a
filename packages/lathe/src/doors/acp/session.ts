// One session of an editor: a conversation, the stream of its updates, and its prompts. Several live in one process and
// share nothing.

import type {
  AgentContext,
  ClientCapabilities,
  ContentBlock,
  McpServer,
  PromptResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import type { InputContent, InputOutcome, Session } from "@lathe/agent";
import { isInside } from "@lathe/agent/policy";
import { Conversation } from "../../conversation/conversation.ts";
import { InputExpansion, typedPartIndex } from "../../conversation/expand-input.ts";
import type { AdditionEntry, SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { todoList } from "../../conversation/todo/todo-facts.ts";
import { Run } from "../../hosts/run.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { refusal } from "../../sessions/which-journal.ts";
import { AcpEnvironment } from "./acp-environment.ts";
import { serversOf } from "./client-servers.ts";
import { editorOver, terminalsOver } from "./editor.ts";
import { InputOrigins } from "./input-origins.ts";
import { LocalEntrance } from "./local-entrance.ts";
import { ConfigOptions, modesOf } from "./options.ts";
import { pastUpdates } from "./past.ts";
import { AcpPerson } from "./person.ts";
import { responseTo } from "./prompt-answer.ts";
import { inputOf } from "./prompt-content.ts";
import { EditorCommands, OFFERED } from "./slash-commands.ts";
import { UpdateStream } from "./update-stream.ts";
import { messageChunk, planOf, Updates } from "./updates.ts";

export interface AcpHost {
  readonly machine: Machine;
  readonly options: CliOptions;
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
}

/** Where a session works, and with which servers. */
export interface SessionPlace {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

export class AcpSession {
  readonly #host: AcpHost;
  readonly #expansion = new InputExpansion();
  #id = "";
  #conversation!: Conversation;
  #config!: ConfigOptions;
  #commands!: EditorCommands;
  readonly #stream: UpdateStream;
  readonly #origins = new InputOrigins();
  #entrance!: LocalEntrance;
  #prompting = false;
  #isCancelled = false;
  /** The last mode we told the client. */
  #toldMode = "";

  private constructor(host: AcpHost) {
    this.#host = host;
    this.#stream = new UpdateStream({
      client: host.client,
      sessionId: () => this.id,
      updatesFor: (session) => this.#updatesFor(session),
      onCallEnd: () => this.#tellChoices(),
    });
  }

  static async open(
    host: AcpHost,
    place: SessionPlace,
    journalIn: (workspace: SessionWorkspace) => OpenedJournal,
  ): Promise<AcpSession> {
    const { machine, options: given, capabilities, client } = host;
    const { cwd, additionalDirectories = [] } = place;
    for (const path of [cwd, ...additionalDirectories])
      if (!path.startsWith("/")) throw usageError(`${path} is not an absolute path. Give the full path of the folder.`);
    const options = { ...given, "add-dir": [...(given["add-dir"] ?? []), ...additionalDirectories] };
    const mcpServers = serversOf(place.mcpServers);
    const run = new Run(machine);
    const workspace = await run.openAt(cwd, options);
    const self = new AcpSession(host);
    const sessionId = (): string => self.id;
    const named = [cwd, ...options["add-dir"]];
    const folders = workspace.roots.map((real, i) => ({ real, named: named[i] ?? real }));
    const editor = editorOver({ client, capabilities, sessionId, folders });
    const terminals = terminalsOver({
      client,
      capabilities,
      sessionId,
      now: machine.deps.now,
      onTerminal: (command, id) => void self.#stream.sendTerminal(command, id),
    });
    const requestFor = run.requestFor(workspace, options, { additions: { mcpServers, delaysLanguageServers: true } });
    const aroundMachine: NonNullable<SessionRequest["aroundMachine"]> = (env) =>
      new AcpEnvironment(env, {
        editor,
        terminals,
        isShared: (path) => folders.some(({ real }) => isInside(path, real)) && !path.includes("/.git/"),
      });
    const person = new AcpPerson({
      client,
      capabilities,
      sessionId,
      whenAnnounced: (callId, signal) => self.#stream.whenAnnounced(callId, signal),
      onGiveUp: () => self.cancel(),
    });
    self.#entrance = new LocalEntrance(person, machine);
    const journal = openOrRefuse(() => journalIn(workspace));
    self.#id = journal.journal.header.id;
    self.#conversation = await Conversation.start(
      {
        workspace,
        requestFor: async (wanted, there) => {
          const request = await requestFor(wanted, there);
          return { ...request, aroundMachine, additions: [...(request.additions ?? []), self.#observer()] };
        },
        person: self.#entrance.person,
        staysInSession: true,
        onTitle: (title) => self.#stream.tell({ sessionUpdate: "session_info_update", title }),
        onSession: ({ session }) => self.#stream.follow(session),
        onEvent: (_session, event) => {
          self.#origins.onEvent(event);
          self.#stream.onEvent(event);
        },
      },
      journal,
    );
    self.#config = new ConfigOptions(self.#conversation, options.models);
    self.#commands = new EditorCommands(self.#conversation);
    self.#toldMode = self.#conversation.permissions.mode;
    self.#conversation.open.parts.onCommands = () => void self.#tellCommands();
    for (const warning of workspace.warnings) self.session.warn(warning, "workspace");
    await self.#entrance.open(self.#conversation);
    return self;
  }

  get id(): string {
    return this.#id;
  }
  get session(): Session {
    return this.#conversation.session;
  }
  get conversation(): Conversation {
    return this.#conversation;
  }
  get config(): ConfigOptions {
    return this.#config;
  }
  get path(): string | undefined {
    return this.#conversation.open.journal.path;
  }

  /** The state that answers such as that of `session/new` carry; the rest follows as updates. */
  async state(): Promise<{
    modes: ReturnType<typeof modesOf>;
    configOptions: Awaited<ReturnType<ConfigOptions["list"]>>;
  }> {
    // The client learns the session's id from the answer that carries this state.
    setImmediate(() => {
      this.#stream.begin();
      void this.#tellCommands();
    });
    return { modes: modesOf(this.#conversation), configOptions: await this.#config.list() };
  }

  /** Sends the whole history to the client, before the answer to its request. */
  async replay(): Promise<void> {
    for (const update of pastUpdates(this.session)) await this.#stream.tell(update);
    const todo = todoList(this.session);
    if (todo.length > 0) await this.#stream.tell(planOf(todo));
    await this.#stream.tell(this.#usage());
  }

  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    if (this.#prompting) throw usageError("The agent is still working on a prompt. Cancel it, or wait for its answer.");
    const given = inputOf(blocks);
    this.#prompting = true;
    this.#isCancelled = false;
    const onAbort = (): void => this.cancel();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const printed = await this.#commands.run(lastText(given));
      if (printed !== undefined) {
        await this.#stream.tell(messageChunk("agent_message_chunk", printed === "" ? "Done." : printed));
        await this.#tellChoices();
        return { stopReason: "end_turn" };
      }
      await this.#conversation.settled();
      const content = await this.#expansion.expand(given, this.#conversation.open, { ofHost: OFFERED });
      if (content === undefined) return { stopReason: "end_turn" };
      const outcome = this.#isCancelled ? undefined : await this.#submit(content);
      return outcome ? responseTo(outcome) : { stopReason: "cancelled" };
    } finally {
      this.#prompting = false;
      this.#origins.isOwnNext = false;
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Stops the work on the current prompt; its answer then says "cancelled". */
  cancel(): void {
    this.#isCancelled = true;
    this.#conversation.interrupt();
  }

  /** Tells the client about a mode that was changed elsewhere. */
  async #tellChoices(): Promise<void> {
    const { mode } = this.#conversation.permissions;
    if (mode === this.#toldMode) return;
    await this.tellMode();
    await this.#stream.tell({ sessionUpdate: "config_option_update", configOptions: await this.#config.list() });
  }

  async tellMode(): Promise<void> {
    const { mode } = this.#conversation.permissions;
    this.#toldMode = mode;
    await this.#stream.tell({ sessionUpdate: "current_mode_update", currentModeId: mode });
  }

  tellOptions(): Promise<void> {
    return this.#config
      .list()
      .then((configOptions) => this.#stream.tell({ sessionUpdate: "config_option_update", configOptions }));
  }

  async close(): Promise<void> {
    this.#stream.begin();
    await this.#conversation.close();
    await Promise.all([this.#stream.ended, this.#entrance.close()]);
  }

  async #submit(content: InputContent): Promise<InputOutcome | undefined> {
    // A job's result or an agent's message may have started work by itself: interrupt that, but let another client's
    // input finish.
    while (this.#conversation.isBusy)
      await (this.#origins.hasOthers ? this.#origins.waitForEnd() : this.session.interrupt());
    if (this.#isCancelled) return undefined;
    this.#origins.isOwnNext = true;
    const outcome = await this.#conversation.submit(content);
    await this.#stream.catchUp();
    await this.#tellChoices();
    return outcome;
  }

  #updatesFor(session: Session): Updates {
    return new Updates({
      capabilities: this.#host.capabilities,
      blobs: session.journal.blobs,
      todo: () => todoList(session),
      usage: () => this.#usage(),
      isOwnInput: (entryId) => this.#origins.isOwn(entryId),
    });
  }

  /** Records what each call will access. */
  #observer(): AdditionEntry {
    return {
      name: "editor",
      load: async () => async () => ({
        name: "editor",
        around: {
          aroundAccess: async ({ callId }, look) => {
            const access = await look();
            void this.#stream.sendAccess(callId, access);
            return access;
          },
        },
      }),
    };
  }

  #usage(): Extract<SessionUpdate, { sessionUpdate: "usage_update" }> {
    const { session } = this;
    const size = session.profile.modelInfo?.contextWindow ?? 0;
    return {
      sessionUpdate: "usage_update",
      used: session.contextTokens,
      size,
      cost: { amount: session.usage.cost, currency: "USD" },
    };
  }

  async #tellCommands(): Promise<void> {
    await this.#stream.tell({
      sessionUpdate: "available_commands_update",
      availableCommands: await this.#commands.list(),
    });
  }
}

function openOrRefuse(open: () => OpenedJournal): OpenedJournal {
  try {
    return open();
  } catch (error) {
    throw refusal(error);
  }
}

function lastText(content: InputContent): string {
  if (typeof content === "string") return content;
  const last = content[typedPartIndex(content)];
  return last?.kind === "text" ? last.text : "";
}
