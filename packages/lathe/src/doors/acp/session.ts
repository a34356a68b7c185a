// One session of an editor: a conversation, the stream of what it reports, and its prompts. Several live in one process and share
// nothing.

import type {
  AgentContext,
  ClientCapabilities,
  ContentBlock,
  McpServer,
  PromptResponse,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk/unstable";
import type { Access, InputContent, InputOutcome, Session, SessionEvent } from "@lathe/agent";
import { isInside } from "@lathe/agent/policy";
import { Conversation } from "../../conversation/conversation.ts";
import { InputExpansion } from "../../conversation/expand-input.ts";
import type { AdditionEntry, SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { todoList } from "../../conversation/todo/todo-facts.ts";
import { Run } from "../../hosts/run.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import type { OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { refusal } from "../../sessions/which-journal.ts";
import { AcpEnvironment } from "./acp-environment.ts";
import { serversOf } from "./client-servers.ts";
import { editorOver, terminalsOver } from "./editor.ts";
import { ConfigOptions, modesOf } from "./options.ts";
import { pastUpdates } from "./past.ts";
import { AcpPerson } from "./person.ts";
import { inputOf } from "./prompt-content.ts";
import { EditorCommands } from "./slash-commands.ts";
import { planOf, said, Updates } from "./updates.ts";

export interface AcpHost {
  readonly machine: Machine;
  readonly options: CliOptions;
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
}

/** Where a session is to work, and with what. */
export interface SessionPlace {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

export class AcpSession {
  readonly #host: AcpHost;
  readonly #expansion = new InputExpansion();
  readonly #waiting = new Map<string, () => void>();
  #conversation!: Conversation;
  #config!: ConfigOptions;
  #commands!: EditorCommands;
  #updates!: Updates;
  #pump: Promise<void> = Promise.resolve();
  #prompting = false;
  #isCancelled = false;
  /** The mode that the client was told last. */
  #toldMode = "";
  /** Of the last event, and of the last one of which the client was told. */
  #seq = 0;
  #told = 0;
  #onTold: (() => void) | undefined;

  private constructor(host: AcpHost) {
    this.#host = host;
  }

  static async open(
    host: AcpHost,
    place: SessionPlace,
    journalIn: (workspace: SessionWorkspace) => OpenedJournal,
  ): Promise<AcpSession> {
    const { machine, options: given, capabilities, client } = host;
    const { cwd, additionalDirectories = [] } = place;
    for (const path of [cwd, ...additionalDirectories])
      if (!path.startsWith("/")) throw usageError(`${path} is no absolute path. Give the whole path of the folder.`);
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
      onTerminal: (command, id) => self.#tell(self.#updates.inTerminal(command, id)),
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
      announced: (callId, signal) => self.#announced(callId, signal),
      gaveUp: () => self.cancel(),
    });
    const journal = opened(() => journalIn(workspace));
    self.#conversation = await Conversation.start(
      {
        workspace,
        requestFor: async (wanted, there) => {
          const request = await requestFor(wanted, there);
          return { ...request, aroundMachine, additions: [...(request.additions ?? []), self.#observer()] };
        },
        person,
        staysInSession: true,
        onTitle: (title) => self.#tell({ sessionUpdate: "session_info_update", title }),
        onSession: ({ session }) => self.#begin(session),
        onEvent: (_session, event) => {
          self.#seq = event.seq;
        },
      },
      journal,
    );
    self.#config = new ConfigOptions(self.#conversation, options.models);
    self.#commands = new EditorCommands(self.#conversation);
    self.#toldMode = self.#conversation.permissions.mode;
    self.#conversation.open.parts.onCommands = () => void self.#tellCommands();
    for (const warning of workspace.warnings) self.session.warn(warning, "workspace");
    return self;
  }

  get id(): string {
    return this.session.id;
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

  /** What the answers to `session/new` and the like say of it; the rest follows as updates. */
  async state(): Promise<{
    modes: ReturnType<typeof modesOf>;
    configOptions: Awaited<ReturnType<ConfigOptions["list"]>>;
  }> {
    void this.#tellCommands();
    return { modes: modesOf(this.#conversation), configOptions: await this.#config.list() };
  }

  /** Tells the client all that was said and done, before the answer to its request. */
  async replay(): Promise<void> {
    for (const update of pastUpdates(this.session)) await this.#tell(update);
    const todo = todoList(this.session);
    if (todo.length > 0) await this.#tell(planOf(todo));
    await this.#tell(this.#usage());
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
        await this.#tell(said("agent_message_chunk", printed === "" ? "Done." : printed));
        await this.#tellChoices();
        return { stopReason: "end_turn" };
      }
      await this.#conversation.settled();
      const content = await this.#expansion.expand(given, this.#conversation.open);
      if (content === undefined) return { stopReason: "end_turn" };
      if (this.#isCancelled) return { stopReason: "cancelled" };
      return responseTo(await this.#submit(content));
    } finally {
      this.#prompting = false;
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Ends the work on the present prompt; its answer says so. */
  cancel(): void {
    this.#isCancelled = true;
    this.#conversation.interrupt();
  }

  /** What the client was not told of yet, since it was changed elsewhere. */
  async #tellChoices(): Promise<void> {
    const { mode } = this.#conversation.permissions;
    if (mode === this.#toldMode) return;
    await this.tellMode();
    await this.#tell({ sessionUpdate: "config_option_update", configOptions: await this.#config.list() });
  }

  async tellMode(): Promise<void> {
    const { mode } = this.#conversation.permissions;
    this.#toldMode = mode;
    await this.#tell({ sessionUpdate: "current_mode_update", currentModeId: mode });
  }

  tellOptions(): Promise<void> {
    return this.#config
      .list()
      .then((configOptions) => this.#tell({ sessionUpdate: "config_option_update", configOptions }));
  }

  async close(): Promise<void> {
    for (const go of this.#waiting.values()) go();
    await this.#conversation.close();
    await this.#pump;
  }

  async #submit(content: InputContent): Promise<InputOutcome> {
    // The result of a job, or an agent's message, may have begun work by itself.
    while (this.#conversation.isBusy) await this.session.interrupt();
    const outcome = await this.#conversation.submit(content);
    await this.#caughtUp();
    await this.#tellChoices();
    return outcome;
  }

  #begin(session: Session): void {
    const { capabilities } = this.#host;
    this.#updates = new Updates({
      capabilities,
      blobs: session.journal.blobs,
      todo: () => todoList(session),
      usage: () => this.#usage(),
      isOwnInput: () => this.#prompting,
    });
    this.#pump = this.#follow(session);
  }

  /** While the client does not read, deltas are merged in the session's queue instead of piling up here. */
  async #follow(session: Session): Promise<void> {
    for await (const event of session.events()) {
      await this.#tellOf(event);
      this.#told = event.seq;
      this.#onTold?.();
    }
    this.#told = Number.POSITIVE_INFINITY;
    this.#onTold?.();
  }

  async #tellOf(event: SessionEvent): Promise<void> {
    for (const update of this.#updates.of(event)) await this.#tell(update);
    if (event.kind === "tool_call_start") this.#waiting.get(event.data.call_id)?.();
    if (event.kind === "tool_call_end") await this.#tellChoices();
  }

  async #caughtUp(): Promise<void> {
    const wanted = this.#seq;
    while (this.#told < wanted)
      await new Promise<void>((resolve) => {
        this.#onTold = resolve;
      });
  }

  /** A question about a call follows the call. */
  async #announced(callId: string, signal: AbortSignal): Promise<void> {
    if (this.#updates.isAnnounced(callId) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.set(callId, resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#waiting.delete(callId);
  }

  /** Hears what each call will touch. */
  #observer(): AdditionEntry {
    const declared = (callId: string, access: readonly Access[] | undefined): void =>
      void this.#tell(this.#updates.declared(callId, access));
    return {
      name: "editor",
      load: async () => async () => ({
        name: "editor",
        around: {
          aroundAccess: async ({ callId }, look) => {
            const access = await look();
            declared(callId, access);
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
    await this.#tell({ sessionUpdate: "available_commands_update", availableCommands: await this.#commands.list() });
  }

  /** A client that has gone ends the process. */
  async #tell(update: SessionUpdate | undefined): Promise<void> {
    if (update) await this.#host.client.notify("session/update", { sessionId: this.id, update }).catch(() => {});
  }
}

function opened(open: () => OpenedJournal): OpenedJournal {
  try {
    return open();
  } catch (error) {
    throw refusal(error);
  }
}

function lastText(content: InputContent): string {
  if (typeof content === "string") return content;
  const last = content.findLast(({ kind }) => kind === "text");
  return last?.kind === "text" ? last.text : "";
}

const STOPPED: Readonly<
  Record<Exclude<InputOutcome["reason"], "completed" | "error" | "context_overflow">, StopReason>
> = {
  interrupted: "cancelled",
  aborted: "cancelled",
  round_limit: "max_turn_requests",
  turn_limit: "max_turn_requests",
  budget: "max_turn_requests",
};

function responseTo({ reason, finish, usage, error }: InputOutcome): PromptResponse {
  if (reason === "error") throw new CliError(EXIT.provider, error?.message ?? "The model could not answer.");
  if (reason === "context_overflow")
    throw new CliError(
      EXIT.failed,
      "The conversation no longer fits into the model. Send /compact, or start a new session.",
    );
  const answered = finish === "length" ? "max_tokens" : finish === "content_filter" ? "refusal" : "end_turn";
  return {
    stopReason: reason === "completed" ? answered : STOPPED[reason],
    usage: {
      totalTokens: usage.totalTokens,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      ...(usage.reasoningTokens === undefined ? {} : { thoughtTokens: usage.reasoningTokens }),
      ...(usage.cacheReadTokens === undefined ? {} : { cachedReadTokens: usage.cacheReadTokens }),
      ...(usage.cacheWriteTokens === undefined ? {} : { cachedWriteTokens: usage.cacheWriteTokens }),
    },
  };
}
