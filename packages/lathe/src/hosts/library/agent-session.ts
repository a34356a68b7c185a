// A session inside a program: a conversation with dialogs, tools and a prompt that the program provides.

import type { InputOutcome, ToolDef } from "@lathe/agent";
import { Conversation } from "../../conversation/conversation.ts";
import { expandInput } from "../../conversation/expand-input.ts";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import { unwritableReason } from "../../platform/home/unwritable.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { journalFor } from "../../sessions/which-journal.ts";
import { contentOf, toolOfHost } from "../rpc/host-tools.ts";
import { HostPerson } from "../rpc/person.ts";
import { HostSide, type HostTool, type UiHandler } from "../rpc-client/host-side.ts";
import type { WireEvent } from "../wire/events.ts";
import { toWire } from "../wire/to-wire.ts";
import { checkOptions } from "./check-options.ts";
import { Listeners } from "./listeners.ts";
import { openPlace } from "./place.ts";
import type { AgentSession, AgentSessionOptions, PromptOutcome } from "./types.ts";

export async function createAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
  checkOptions(options);
  const asOptions = commandOptions(options);
  const { run, workspace } = await openPlace(options, asOptions);
  mustBeSavable(options, workspace.paths.sessions);
  const requestFor = run.requestFor(workspace, asOptions);
  const listeners = new Listeners();
  const tools = (options.customTools ?? []).map(toolOf);
  const conversation = await Conversation.start(
    {
      workspace,
      requestFor: async (opened, place) => ({ ...(await requestFor(opened, place)), ...ownParts(options) }),
      ...(options.onUiRequest ? { person: personOf(options.onUiRequest) } : {}),
      toolProviders: [{ tools: () => tools }],
      // The program holds this session, so the conversation must not leave it.
      staysInSession: true,
      onSession: ({ session }) => void listeners.follow(session.events(), (text) => session.warn(text, "listener")),
    },
    journalFor(workspace, asOptions),
  );
  return new ConversationSession(conversation, listeners);
}

/** Says before any work that a new session could not be saved, and which setting names the folder. */
function mustBeSavable({ session = "new" }: AgentSessionOptions, folder: string): void {
  if (session !== "new" && session !== "continue") return;
  const reason = unwritableReason(folder, 'keep the session in memory (session: "memory")');
  if (reason !== undefined) throw usageError(reason);
}

/** The options as command line options. */
function commandOptions(options: AgentSessionOptions): CliOptions {
  const { model, baseUrl, thinkingLevel, permissionMode, session = "new", tools, systemPrompt } = options;
  return {
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { "base-url": baseUrl }),
    ...(thinkingLevel === undefined ? {} : { thinking: thinkingLevel }),
    ...(permissionMode === undefined ? {} : { "permission-mode": permissionMode }),
    ...(tools === undefined ? {} : { tools: tools.join(",") }),
    ...(typeof systemPrompt === "string" ? { "system-prompt": systemPrompt } : {}),
    ...(session === "new" ? {} : session === "memory" ? { "no-session": true } : {}),
    ...(session === "continue" ? { continue: true } : {}),
    ...(["new", "memory", "continue"].includes(session) ? {} : { resume: session }),
  };
}

function ownParts({ apiKey, baseUrl, systemPrompt }: AgentSessionOptions): Partial<SessionRequest> {
  return {
    ...(apiKey === undefined ? {} : { overrides: { apiKey, ...(baseUrl === undefined ? {} : { baseUrl }) } }),
    ...(typeof systemPrompt === "function" ? { arrangePrompt: systemPrompt } : {}),
  };
}

function toolOf(tool: HostTool): ToolDef {
  return toolOfHost(tool, async (args, { signal, onOutput }) => {
    const output = await tool.execute(args, { signal, update: (text) => onOutput(text, "stdout") });
    if (typeof output === "string") return output;
    return { content: output.content.map(contentOf), isError: output.isError ?? false };
  });
}

/** The same dialogs as over RPC, without a wire. They wait until the program answers. */
function personOf(ui: UiHandler): HostPerson {
  let n = 0;
  const side = new HostSide((frame) => person.response(frame as Parameters<HostPerson["response"]>[0]));
  side.ui = ui;
  const person: HostPerson = new HostPerson({
    newId: () => `ui_${++n}`,
    send: (frame) => void side.take(frame as Readonly<Record<string, unknown>>),
    timeoutMs: 0,
  });
  return person;
}

class ConversationSession implements AgentSession {
  readonly #conversation: Conversation;
  readonly #listeners: Listeners;

  constructor(conversation: Conversation, listeners: Listeners) {
    this.#conversation = conversation;
    this.#listeners = listeners;
  }

  get id(): string {
    return this.#conversation.session.id;
  }
  get file(): string | undefined {
    return this.#conversation.open.journal.path;
  }
  get model(): string {
    const { provider, id } = this.#conversation.model;
    return `${provider}/${id}`;
  }
  get isBusy(): boolean {
    return this.#conversation.isBusy;
  }
  get hasUnfinishedInput(): boolean {
    return this.#conversation.session.hasUnfinishedInput;
  }
  get messages() {
    return this.#conversation.session.journal.context.messages.map(toWire);
  }

  async prompt(message: string): Promise<PromptOutcome> {
    if (typeof message !== "string") throw new TypeError("prompt needs a text.");
    const content = await expandInput(message, this.#conversation.open);
    // A command of an extension did its work, and there was nothing to send.
    if (content === undefined) return { reason: "completed", text: "", cost: 0 };
    return outcomeOf(await this.#conversation.submit(content));
  }
  async continue(): Promise<PromptOutcome | undefined> {
    const outcome = await this.#conversation.continue();
    return outcome && outcomeOf(outcome);
  }
  steer(message: string): void {
    this.#conversation.session.steer(message);
  }
  followUp(message: string): void {
    this.#conversation.session.followUp(message);
  }
  async interrupt(): Promise<void> {
    await this.#conversation.session.interrupt();
  }
  subscribe(listener: (event: WireEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  async setModel(model: string): Promise<void> {
    await this.#conversation.switchModel(model);
  }
  setThinkingLevel(level: string | undefined): void {
    this.#conversation.setEffort(level);
  }
  setPermissionMode(mode: Parameters<AgentSession["setPermissionMode"]>[0]): void {
    this.#conversation.setPermissionMode(mode);
  }
  close(): Promise<void> {
    return this.#conversation.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const outcomeOf = ({ reason, text, cost, error }: InputOutcome): PromptOutcome => ({
  reason,
  text,
  cost,
  ...(error === undefined ? {} : { error: error.message }),
});
