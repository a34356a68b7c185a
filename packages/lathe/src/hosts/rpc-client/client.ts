// A typed client of RPC mode: starts the agent, matches answers to requests, forwards events, and serves the host's
// side.

import type { GateReply, WorkflowGate } from "../../conversation/gates/gate.ts";
import type { CommandData, CommandName, CommandParams, RpcSessionState } from "../rpc/commands.ts";
import type { ResponseError } from "../rpc/frames.ts";
import type { WireEvent } from "../wire/events.ts";
import { type HostScheme, HostSide, type HostTool, type UiHandler } from "./host-side.ts";
import { type AgentConnection, AgentProcess, type AgentProcessOptions } from "./process.ts";

/** How to start the agent, and how long to wait for it. */
export interface RpcClientOptions extends AgentProcessOptions {
  /** Connects to the agent in another way than by starting a process. */
  readonly connect?: ((onFrame: (frame: Record<string, unknown>) => void) => AgentConnection) | undefined;
  /** How long the agent may take to become ready. */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * How long one request may take. There is no limit for commands that may run a command, a model or a hook: messages,
   * bash, compact, export_html and settle_worktree.
   */
  readonly requestTimeoutMs?: number | undefined;
}

/** What a prompt may contain besides its text. */
export interface PromptOptions {
  readonly images?: readonly { readonly data: string; readonly mediaType: string }[] | undefined;
  /** Required while the agent is working. */
  readonly streamingBehavior?: "steer" | "followUp" | undefined;
}

const TIMEOUT_MS = 30_000;
/**
 * A message is confirmed when it is in the journal; before that, hooks may check it, and a summary in progress is
 * finished.
 */
const MESSAGES = ["prompt", "steer", "follow_up", "abort_and_prompt", "continue"] as const;
const UNLIMITED: ReadonlySet<CommandName> = new Set([
  ...MESSAGES,
  ...(["bash", "export_html", "compact", "settle_worktree"] as const),
]);

/** A command that the agent refused. */
export class RpcError extends Error {
  readonly command: string;
  /** Set on refusals that programs need to distinguish. */
  readonly code?: string;
  /** The scope that an unattended session's declaration does not list. */
  readonly scope?: string;
  constructor(command: string, error: ResponseError) {
    super(typeof error === "string" ? error : error.message);
    this.name = "RpcError";
    this.command = command;
    if (typeof error === "string") return;
    this.code = error.code;
    if (error.scope !== undefined) this.scope = error.scope;
  }
}

interface Pending {
  readonly command: CommandName;
  readonly resolve: (data: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Answers a question of a workflow, at once or later. */
export type GateHandler = (gate: WorkflowGate) => unknown;

/** `sessionId` is the session of the event; `entryId` is the last entry of its branch at that time. */
export type EventListener = (event: WireEvent, sessionId: string, entryId: string | null) => void;

/** Starts `lathe --mode rpc` and drives it: sends commands, forwards events, serves the host's tools and dialogs. */
export class RpcClient {
  readonly #options: RpcClientOptions;
  readonly #host = new HostSide((frame) => this.#runningProcess().send(frame));
  readonly #pending = new Map<string, Pending>();
  readonly #listeners = new Set<EventListener>();
  #onGate: GateHandler | undefined;
  readonly #failures = new Set<(error: Error) => void>();
  /** A failed prompt or a listener's error that came while nothing listened for failures. */
  #unheard: Error | undefined;
  #process: AgentConnection | undefined;
  #ended: Error | undefined;
  #ready: () => void = () => {};
  #requests = 0;

  constructor(options: RpcClientOptions = {}) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }
  /** The process is gone: no request can be answered any more. */
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** If the agent ends before it is ready, rejects with its output on stderr. */
  async start(): Promise<void> {
    if (this.#process) throw new Error("The agent has already been started.");
    const ready = new Promise<void>((resolve) => {
      this.#ready = resolve;
    });
    const { connect = (onFrame) => new AgentProcess(this.#options, onFrame) } = this.#options;
    const started = connect((frame) => this.#take(frame));
    this.#process = started;
    void started.ended.then((error) => this.#failAll(error));
    const failed = started.ended.then((error) => Promise.reject(error));
    const ms = this.#options.readyTimeoutMs ?? TIMEOUT_MS;
    try {
      await withTimeout(Promise.race([ready, failed]), ms, `The agent was not ready within ${ms} ms.`);
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  /** Returns the agent's exit code. */
  async stop(): Promise<number | null> {
    this.#host.stop();
    return (await this.#process?.stop()) ?? null;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Sends any command. Rejects with RpcError if the agent refuses it. */
  request<K extends CommandName>(command: K, params?: CommandParams<K>): Promise<CommandData<K>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = `req_${++this.#requests}`;
    const ms = UNLIMITED.has(command) ? 0 : (this.#options.requestTimeoutMs ?? TIMEOUT_MS);
    const reply = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { command, resolve, reject });
      this.#runningProcess().send({ id, type: command, ...params });
    });
    return withTimeout(reply, ms, `${command} was not answered within ${ms} ms.`).catch((error: unknown) => {
      this.#pending.delete(id);
      throw error;
    }) as Promise<CommandData<K>>;
  }

  /** Resolves when the prompt is accepted; the agent_end event marks the end of the work. */
  prompt(message: string, options: PromptOptions = {}): Promise<void> {
    const { images, streamingBehavior } = options;
    return this.request("prompt", {
      message,
      ...(images === undefined ? {} : { images }),
      ...(streamingBehavior === undefined ? {} : { streamingBehavior }),
    });
  }
  steer(message: string): Promise<void> {
    return this.request("steer", { message });
  }
  followUp(message: string): Promise<void> {
    return this.request("follow_up", { message });
  }
  abort(): Promise<void> {
    return this.request("abort");
  }
  /** Finishes an input that an earlier process left unfinished. Resolves when accepted. */
  continue(): Promise<void> {
    return this.request("continue");
  }
  getState(): Promise<RpcSessionState> {
    return this.request("get_state");
  }
  /** A page of the active branch. */
  getEntries(page: CommandParams<"get_entries"> = {}): Promise<CommandData<"get_entries">> {
    return this.request("get_entries", page);
  }
  /** The view that the run works in; null if it works in the project itself. */
  async getWorktree(): Promise<CommandData<"get_worktree">["worktree"]> {
    return (await this.request("get_worktree")).worktree;
  }
  /** Applies or discards the view's changes. Check `outcome`: a conflict does not reject. */
  settleWorktree(how: CommandParams<"settle_worktree">["how"]): Promise<CommandData<"settle_worktree">> {
    return this.request("settle_worktree", { how });
  }
  async getLastAssistantText(): Promise<string | null> {
    return (await this.request("get_last_assistant_text")).text;
  }

  /** Replaces the host's tools; calls are served from now on. `refused` lists tools that cannot be offered, and why. */
  setHostTools(tools: readonly HostTool[]): Promise<CommandData<"set_host_tools">> {
    this.#host.tools = tools;
    const specs = tools.map(({ execute: _execute, ...spec }) => spec);
    return this.request("set_host_tools", { tools: specs });
  }
  /** Replaces the URL schemes that the host serves. */
  async setHostUriSchemes(schemes: readonly HostScheme[]): Promise<readonly string[]> {
    this.#host.schemes = schemes;
    const specs = schemes.map(({ read: _read, write, ...spec }) => ({ writable: write !== undefined, ...spec }));
    return (await this.request("set_host_uri_schemes", { schemes: specs })).schemes;
  }
  /** Handles approvals and questions. Without a handler every dialog is cancelled, which denies what was asked. */
  onUiRequest(handler: UiHandler): void {
    this.#host.ui = handler;
  }

  /** Handles questions of workflows. The handler returns the answer; undefined leaves it to another client. */
  onWorkflowGate(handler: GateHandler): void {
    this.#onGate = handler;
  }
  /** Resolves with the result of the answer; rejects with RpcError if the gate takes none. */
  respondGate(gateId: string, answer: unknown, options: { readonly idempotencyKey?: string } = {}): Promise<GateReply> {
    const { idempotencyKey } = options;
    const key = idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey };
    return this.request("workflow_gate_response", { gate_id: gateId, answer, ...key });
  }

  /** Returns a function that removes the listener. */
  onEvent(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  /** Reports an accepted prompt that failed later, a listener that threw, or the end of the process. */
  onFailure(listener: (error: Error) => void): () => void {
    this.#failures.add(listener);
    return () => this.#failures.delete(listener);
  }

  /** Resolves when the agent has nothing more to do; rejects if an accepted prompt failed meanwhile. */
  async waitForIdle(timeoutMs = 0): Promise<void> {
    await this.collectEvents(timeoutMs);
  }

  /** Collects the events from now until the agent has nothing more to do. */
  async collectEvents(timeoutMs = 0): Promise<WireEvent[]> {
    const refused = this.#unheard;
    this.#unheard = undefined;
    if (refused) throw refused;
    const events: WireEvent[] = [];
    const forget: (() => void)[] = [];
    const idle = new Promise<void>((resolve, reject) => {
      const look = (): void => {
        this.getState().then((state) => {
          if (!state.isStreaming) resolve();
        }, reject);
      };
      forget.push(
        this.onFailure(reject),
        this.onEvent((event) => {
          events.push(event);
          if (event.type === "agent_end") look();
        }),
      );
      look();
    });
    try {
      await withTimeout(idle, timeoutMs, `The agent was still busy after ${timeoutMs} ms.`);
      return events;
    } finally {
      for (const drop of forget) drop();
    }
  }

  // ---- inside ----

  #runningProcess(): AgentConnection {
    if (!this.#process) throw new Error("The agent has not been started.");
    return this.#process;
  }

  #take(frame: Record<string, unknown>): void {
    if (frame["type"] === "ready") this.#ready();
    else if (frame["type"] === "response") this.#settle(frame);
    else if (frame["type"] === "event") {
      const { event } = frame["payload"] as { event: WireEvent };
      const sessionId = String(frame["session_id"]);
      const entryId = (frame["entry_id"] ?? null) as string | null;
      for (const listener of [...this.#listeners]) this.#tell(() => listener(event, sessionId, entryId));
    } else if (frame["type"] === "workflow_gate") void this.#answerGate(frame as unknown as WorkflowGate);
    else this.#host.take(frame);
  }

  /** An answer that was refused is a failure, because the workflow would wait forever. */
  async #answerGate(gate: WorkflowGate): Promise<void> {
    try {
      const answer = await this.#onGate?.(gate);
      if (answer === undefined) return;
      const reply = await this.respondGate(gate.gate_id, answer);
      if (reply.status === "accepted") return;
      const [first] = reply.error.errors;
      throw new Error(`The answer to ${gate.gate_id} was rejected: ${first?.path} ${first?.message}.`);
    } catch (error) {
      // Another client was faster.
      if (error instanceof RpcError && error.code === "already_resolved") return;
      this.#reportFailure(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #settle(frame: Record<string, unknown>): void {
    const id = String(frame["id"]);
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (frame["success"] === true) {
      pending?.resolve(frame["data"]);
      return;
    }
    const error = new RpcError(String(frame["command"]), frame["error"] as ResponseError);
    if (pending) pending.reject(error);
    else this.#reportFailure(error);
  }

  /** A listener that throws harms neither the others nor the host's process: its error is reported as a failure. */
  #tell(listener: () => unknown): void {
    const report = (error: unknown): void =>
      this.#reportFailure(new Error(`A listener threw: ${textOfError(error)}`, { cause: error }));
    try {
      const returned = listener();
      if (returned instanceof Promise) returned.catch(report);
    } catch (error) {
      report(error);
    }
  }

  #reportFailure(error: Error): void {
    if (this.#failures.size === 0) this.#unheard ??= error;
    for (const listener of [...this.#failures]) {
      try {
        listener(error);
      } catch (thrown) {
        // The error is kept for the next caller that waits for the agent.
        this.#unheard ??= new Error(`A listener threw: ${textOfError(thrown)}`, { cause: thrown });
      }
    }
  }

  #failAll(error: Error): void {
    this.#ended = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    if (this.#failures.size > 0) this.#reportFailure(error);
  }
}

const textOfError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function withTimeout<T>(work: Promise<T>, ms: number, message: string): Promise<T> {
  if (ms <= 0) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
