// An editor for tests: the SDK's client on the pipes of the command, with saved and unsaved buffers, terminals, and
// answers to questions. Every message of both sides must be valid against the schema that the protocol publishes.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";
import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type McpServer,
  ndJsonStream,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
  type Stream,
} from "@agentclientprotocol/sdk/unstable";
import { type JsonValue, violationOf } from "@lathe/llm";
import type { InsideCommand } from "./machine.ts";
import { schemaPart } from "./schema-part.ts";

const load = createRequire(import.meta.url);
const SCHEMA = load("@agentclientprotocol/sdk/schema/v1/schema.unstable.json") as {
  readonly $defs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** The schema definitions of a method's parameters and answer. */
function definitionsOf(method: string): { readonly params?: string | undefined; readonly result?: string | undefined } {
  const names = Object.entries(SCHEMA.$defs).flatMap(([name, one]) => (one["x-method"] === method ? [name] : []));
  return {
    params: names.find((name) => /(Request|Notification)$/.test(name)),
    result: names.find((name) => /Response$/.test(name)),
  };
}

/** Both sides of a connection; every message is checked. */
export class Wire {
  readonly messages: { readonly from: "agent" | "client"; readonly message: AnyMessage }[] = [];
  readonly #methods = new Map<string, string>();
  /** Set to skip the check of what the client sends. */
  isLenient = false;
  readonly #checks: Promise<void>[] = [];

  over(stream: Stream): Stream {
    const { readable, writable } = stream;
    const writer = writable.getWriter();
    return {
      readable: readable.pipeThrough(
        new TransformStream<AnyMessage, AnyMessage>({
          transform: (message, controller) => {
            this.#check("agent", message);
            controller.enqueue(message);
          },
        }),
      ),
      writable: new WritableStream<AnyMessage>({
        write: (message) => {
          this.#check("client", message);
          return writer.write(message);
        },
        close: () => writer.close(),
      }),
    };
  }

  /** Throws what is wrong with the first invalid message. */
  async mustBeValid(): Promise<void> {
    await Promise.all(this.#checks);
  }

  methods(from: "agent" | "client"): string[] {
    return [
      ...new Set(
        this.messages.flatMap((one) => (one.from === from && "method" in one.message ? [one.message.method] : [])),
      ),
    ];
  }

  #check(from: "agent" | "client", message: AnyMessage): void {
    this.messages.push({ from, message });
    if (from === "client" && this.isLenient) return;
    const other = from === "agent" ? "client" : "agent";
    if ("method" in message) {
      if ("id" in message) this.#methods.set(`${from} ${message.id}`, message.method);
      this.#mustFit(message.method, definitionsOf(message.method).params, message.params);
      return;
    }
    const method = this.#methods.get(`${other} ${message.id}`);
    if ("error" in message) this.#mustFit(method ?? "an error", "Error", message.error);
    else this.#mustFit(method ?? "an answer", method && definitionsOf(method).result, message.result);
  }

  #mustFit(what: string, definition: string | undefined, value: unknown): void {
    const check = async (): Promise<void> => {
      if (definition === undefined) throw new Error(`${what} is not in the schema`);
      const violation = await violationOf(schemaPart(SCHEMA.$defs, definition), (value ?? {}) as JsonValue);
      if (violation)
        throw new Error(`${what}: ${violation.path} ${violation.message} in ${JSON.stringify(value).slice(0, 500)}`);
    };
    const checked = check();
    checked.catch(() => {}); // reported by `mustBeValid`
    this.#checks.push(checked);
  }
}

export const EVERYTHING: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {} },
  session: { compaction: {}, notices: {} },
};

type Agent = ChildProcessWithoutNullStreams | InsideCommand;

/** How the user of the editor behaves. */
export interface EditorOptions {
  readonly capabilities?: ClientCapabilities;
  /** Writes text to the disk, too; otherwise it stays in the editor. */
  readonly saves?: boolean;
  /** Returns the id of the chosen option; `cancelled` closes the question. */
  readonly permission?: (request: RequestPermissionRequest) => string | Promise<string>;
  readonly elicitation?: (
    asked: CreateElicitationRequest,
  ) => CreateElicitationResponse | Promise<CreateElicitationResponse>;
  /** Called before a file is read or written. */
  readonly before?: (what: "read" | "write", path: string) => void;
  /** Handles a write; by default the text goes into the buffer. */
  readonly take?: (path: string, text: string) => void;
}

export class Editor<A extends Agent = Agent> {
  readonly agent: A;
  readonly wire = new Wire();
  readonly connection: ClientConnection;
  /** Text that is not on the disk, or that the editor has open. */
  readonly buffers = new Map<string, string>();
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  readonly read: string[] = [];
  readonly written: { readonly path: string; readonly content: string }[] = [];
  readonly terminals = new Map<string, Terminal>();
  readonly released: string[] = [];
  readonly #onUpdate = new Set<() => void>();
  readonly #onTerminal = new Set<() => void>();
  stdout = "";
  stderr = "";

  constructor(agent: A, options: EditorOptions = {}) {
    this.agent = agent;
    agent.stdout.on("data", (bytes: Buffer) => {
      this.stdout += bytes.toString("utf8");
    });
    agent.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    const stream = ndJsonStream(
      Writable.toWeb(agent.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>,
    );
    this.connection = this.#app(options).connect(this.wire.over(stream));
  }

  get agentSide(): ClientContext {
    return this.connection.agent;
  }

  async initialize(capabilities: ClientCapabilities = EVERYTHING) {
    return this.agentSide.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: capabilities,
      clientInfo: { name: "test", version: "1" },
    });
  }

  create(cwd: string, mcpServers: McpServer[] = []) {
    return this.agentSide.request("session/new", { cwd, mcpServers });
  }

  /** Sends any message, even an invalid one, without a check. */
  raw(method: string, params: object): Promise<unknown> {
    this.wire.isLenient = true;
    return this.agentSide.request<unknown, object>(method, params).finally(() => {
      this.wire.isLenient = false;
    });
  }

  /** Waits for a matching update; one that has already arrived counts. */
  async saw(fits: (one: { readonly update: SessionUpdate }) => boolean): Promise<void> {
    while (!this.updates.some(fits)) await new Promise<void>((resolve) => this.#onUpdate.add(resolve));
  }

  /** Waits until this many terminals were released. */
  async releases(count: number): Promise<readonly string[]> {
    while (this.released.length < count) await new Promise<void>((resolve) => this.#onTerminal.add(resolve));
    return this.released;
  }

  /** The n-th terminal, from 1. */
  async nthTerminal(n: number): Promise<Terminal> {
    while (this.terminals.size < n) await new Promise<void>((resolve) => this.#onTerminal.add(resolve));
    return this.terminals.get(`t${n}`) as Terminal;
  }

  prompt(sessionId: string, text: string) {
    return this.agentSide.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  of<K extends SessionUpdate["sessionUpdate"]>(kind: K): Extract<SessionUpdate, { sessionUpdate: K }>[] {
    return this.updates.flatMap(({ update }) =>
      update.sessionUpdate === kind ? [update as Extract<SessionUpdate, { sessionUpdate: K }>] : [],
    );
  }

  text(): string {
    return this.of("agent_message_chunk")
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** What the editor shows of a file. */
  shownText(path: string): string | undefined {
    return this.buffers.get(path) ?? (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  }

  /** Ends the agent's input, as closing the editor does. Every line on stdout must have been a message. */
  async leave(): Promise<void> {
    this.agent.stdin.end();
    if (this.agent.exitCode === null) await once(this.agent as ChildProcess, "close");
    for (const line of this.stdout.split("\n")) if (line !== "") JSON.parse(line);
    await this.wire.mustBeValid();
  }

  #app({ saves = true, permission = () => "once", elicitation, before, take }: EditorOptions) {
    return client({ name: "test" })
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params);
        for (const tell of this.#onUpdate) tell();
      })
      .onRequest("session/request_permission", async ({ params }) => {
        this.asked.push(params);
        const optionId = await permission(params);
        return { outcome: optionId === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
      })
      .onRequest("elicitation/create", async ({ params }) => (await elicitation?.(params)) ?? { action: "decline" })
      .onRequest("fs/read_text_file", ({ params: { path } }) => {
        before?.("read", path);
        this.read.push(path);
        const content = this.shownText(path);
        if (content === undefined) throw RequestError.resourceNotFound(path);
        return { content };
      })
      .onRequest("fs/write_text_file", ({ params: { path, content } }) => {
        before?.("write", path);
        this.written.push({ path, content });
        if (take) take(path, content);
        else if (saves) {
          this.buffers.delete(path);
          writeFileSync(path, content);
        } else this.buffers.set(path, content);
        return {};
      })
      .onRequest("terminal/create", ({ params }) => {
        const terminal = new Terminal(params.command, params.args ?? [], {
          cwd: params.cwd ?? undefined,
          env: Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value])),
        });
        const terminalId = `t${this.terminals.size + 1}`;
        this.terminals.set(terminalId, terminal);
        for (const tell of this.#onTerminal) tell();
        return { terminalId };
      })
      .onRequest("terminal/output", ({ params }) => ({ output: this.#terminal(params).output, truncated: false }))
      .onRequest("terminal/wait_for_exit", ({ params }) => this.#terminal(params).exited)
      .onRequest("terminal/kill", ({ params }) => {
        this.#terminal(params).kill();
        return {};
      })
      .onRequest("terminal/release", ({ params }) => {
        this.#terminal(params).kill();
        this.released.push(params.terminalId);
        for (const tell of this.#onTerminal) tell();
        return {};
      });
  }

  #terminal({ terminalId }: { readonly terminalId: string }): Terminal {
    const terminal = this.terminals.get(terminalId);
    if (!terminal) throw RequestError.resourceNotFound(terminalId);
    return terminal;
  }
}

class Terminal {
  readonly child: ChildProcess;
  readonly exited: Promise<{ exitCode: number | null; signal: string | null }>;
  readonly #looking = new Set<() => void>();
  output = "";

  constructor(
    command: string,
    args: readonly string[],
    { cwd, env }: { readonly cwd: string | undefined; readonly env: Readonly<Record<string, string>> },
  ) {
    this.child = spawn(command, args, {
      cwd,
      env: { PATH: "/usr/bin:/bin", ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        for (const look of this.#looking) look();
      });
    this.exited = once(this.child, "close").then(([exitCode, signal]) => ({ exitCode, signal }));
  }

  /** Kills the agent and all processes it has started. */
  kill(): void {
    if (this.child.exitCode === null && this.child.signalCode === null)
      process.kill(-(this.child.pid as number), "SIGKILL");
  }

  async prints(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.output)) await new Promise<void>((resolve) => this.#looking.add(resolve));
  }
}
