// A running ACP agent: its process, the connection to it, and its one session. This file loads the protocol's package,
// which a session without such an agent never reads.

import { randomUUID } from "node:crypto";
import {
  type ClientConnection,
  client,
  methods,
  PROTOCOL_VERSION,
  type PromptRequest,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk/unstable";
import type { ExecutionEnvironment } from "@lathe/agent";
import { abortAfter } from "@lathe/agent/base";
import { quoteShell, type TwoWayProcess } from "@lathe/agent/world";
import { isJsonObject, type JsonObject, type JsonValue, messageOf } from "@lathe/llm";
import { lastErrorLine } from "../../../platform/usage/last-error-line.ts";
import { Arrivals } from "./arrivals.ts";
import { type MessageStream, messageStream } from "./message-stream.ts";
import { aboutCall, blockText, OwnWorks, withoutNulls } from "./own-work.ts";
import { Terminals } from "./terminals.ts";
import { ACP_TOOLS } from "./tool-names.ts";

const GRACE_MS = 500;

export interface LinkParts {
  readonly command: readonly [string, ...string[]];
  readonly env: ExecutionEnvironment;
  /** How long the program may take to open a session. */
  readonly startMs: number;
  readonly signal: AbortSignal;
}

/** Rejects with a sentence about the program. */
export async function openLink(parts: LinkParts): Promise<AgentLink> {
  const { command, env, startMs, signal } = parts;
  if (!env.startProcess) throw new Error("programs cannot be started here");
  const process = await env.startProcess(command);
  const link = new AgentLink(process, env);
  try {
    await link.begin(startMs, signal);
    return link;
  } catch (error) {
    await link.close();
    throw error;
  }
}

export class AgentLink {
  readonly arrivals = new Arrivals();
  readonly terminals = new Terminals();
  readonly #process: TwoWayProcess;
  readonly #env: ExecutionEnvironment;
  readonly #works = new OwnWorks();
  readonly #messages: MessageStream;
  readonly #connection: ClientConnection;
  readonly #wishes = new Map<string, (why: string) => void>();
  #sessionId = "";
  #isCancelled = false;

  constructor(process: TwoWayProcess, env: ExecutionEnvironment) {
    this.#process = process;
    this.#env = env;
    this.#messages = messageStream(process, ({ method, params }) => {
      if (method === methods.client.session.update) this.#update(params);
    });
    this.#connection = this.#app().connect(this.#messages.stream);
  }

  async begin(startMs: number, signal: AbortSignal): Promise<void> {
    const late = abortAfter(startMs, signal);
    const { agent } = this.#connection;
    const stage = <T>(name: string, answer: Promise<T>): Promise<T> => this.#inTime(name, answer, late, startMs);
    const { protocolVersion, authMethods = [] } = await stage(
      "initialize",
      agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: { name: "lathe", version: LATHE_VERSION },
        clientCapabilities: {
          fs: { readTextFile: true, writeTextFile: true },
          terminal: this.#env.startCommand !== undefined,
        },
      }),
    );
    if (protocolVersion !== PROTOCOL_VERSION)
      throw new Error(`it speaks version ${protocolVersion} of ACP, and Lathe speaks version ${PROTOCOL_VERSION}`);
    const cwd = this.#env.workingDirectory();
    const opening = agent.request(methods.agent.session.new, { cwd, mcpServers: [] }).catch((error: unknown) => {
      if (!(error instanceof RequestError) || error.code !== AUTH_REQUIRED) throw error;
      const how = authMethods.map(({ name }) => name).join(", ");
      throw new Error(`it needs a sign-in${how && ` (${how})`}: run it once in a terminal`);
    });
    const opened = await stage("session/new", opening);
    this.#sessionId = opened.sessionId;
    void this.#connection.closed.then(async () => this.arrivals.push({ kind: "failed", why: await this.#endReason() }));
  }

  /** Sends a prompt; its end arrives in `arrivals`. */
  prompt(text: string): void {
    this.#isCancelled = false;
    this.#works.clear();
    const request: PromptRequest = { sessionId: this.#sessionId, prompt: [{ type: "text", text }] };
    this.#connection.agent.request(methods.agent.session.prompt, request).then(
      ({ stopReason }) => this.arrivals.push({ kind: "stopped", reason: stopReason }),
      (error: unknown) => {
        // If the connection closed, the end of the program is reported with its reason.
        if (!this.#connection.signal.aborted)
          this.arrivals.push({ kind: "failed", why: `its answer: ${messageOf(error)}` });
      },
    );
  }

  /** The prompt ends soon, and its end arrives. Everything the agent wanted is refused. */
  cancel(): void {
    this.#isCancelled = true;
    for (const refuse of [...this.#wishes.values()]) refuse("the work was cancelled");
    void this.#connection.agent.notify(methods.agent.session.cancel, { sessionId: this.#sessionId }).catch(() => {
      // It has ended already.
    });
  }

  async close(): Promise<void> {
    this.#connection.close();
    await Promise.all([this.terminals.close(), this.#process.stop(GRACE_MS)]);
  }

  #app(): ReturnType<typeof client> {
    const { terminals } = this;
    const { fs, session, terminal } = methods.client;
    return client({ name: "lathe" })
      .onRequest(session.requestPermission, ({ params }) => {
        this.#mustBeOurs(params);
        return this.#permission(params);
      })
      .onRequest(fs.readTextFile, async ({ params }) => {
        this.#mustBeOurs(params);
        const { path, line, limit } = params;
        const answer = await this.#wish(ACP_TOOLS.read, { path: absolute(path), ...withoutNulls({ line, limit }) });
        return { content: String(answer["content"]) };
      })
      .onRequest(fs.writeTextFile, async ({ params }) => {
        this.#mustBeOurs(params);
        const { path, content } = params;
        await this.#wish(ACP_TOOLS.write, { file_path: absolute(path), content });
        return {};
      })
      .onRequest(terminal.create, async ({ params }) => {
        this.#mustBeOurs(params);
        const { command, args = [], env = [], cwd, outputByteLimit } = params;
        const words = args.length === 0 ? command : [command, ...args].map(quoteShell).join(" ");
        const variables = env.map(({ name, value }) => `export ${variableName(name)}=${quoteShell(value)}; `).join("");
        const limit = withoutNulls({ cwd, limit: outputByteLimit });
        const answer = await this.#wish(ACP_TOOLS.terminal, { command: variables + words, ...limit });
        return { terminalId: String(answer["terminalId"]) };
      })
      .onRequest(terminal.output, ({ params }) => terminals.state(params.terminalId))
      .onRequest(terminal.waitForExit, ({ params }) => terminals.exit(params.terminalId))
      .onRequest(terminal.kill, async ({ params }) => {
        await terminals.kill(params.terminalId);
        return {};
      })
      .onRequest(terminal.release, async ({ params }) => {
        await terminals.release(params.terminalId);
        return {};
      });
  }

  /** There is only one session; before it is opened, the program has nothing to ask for. */
  #mustBeOurs({ sessionId }: { readonly sessionId: string }): void {
    if (sessionId !== this.#sessionId)
      throw RequestError.invalidParams({ sessionId }, "there is no such session in this client");
  }

  #update(params: JsonValue | undefined): void {
    const update = isJsonObject(params) ? params["update"] : undefined;
    if (!isJsonObject(update) || (params as JsonObject)["sessionId"] !== this.#sessionId) return;
    const kind = update["sessionUpdate"];
    const text = kind === "agent_message_chunk" || kind === "agent_thought_chunk" ? blockText(update["content"]) : "";
    if (text !== "") this.arrivals.push({ kind: kind === "agent_message_chunk" ? "text" : "thought", text });
    if (kind !== "tool_call" && kind !== "tool_call_update") return;
    const work = this.#works.take(update, (id) => this.terminals.outputOf(id));
    if (work) this.arrivals.push({ kind: "work", work });
  }

  /** Allows it only once: Lathe judges the next call again. */
  async #permission({ toolCall, options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const call = { ...this.#works.callSoFar(toolCall.toolCallId), ...withoutNulls(toolCall) };
    const input = isJsonObject(call["rawInput"]) ? call["rawInput"] : {};
    const refused =
      options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind === "reject_always");
    const once = options.find(({ kind }) => kind === "allow_once");
    try {
      if (!once) throw new Error("it cannot be allowed for this once");
      await this.#wish(ACP_TOOLS.permission, { ...aboutCall(call), input });
      return { outcome: { outcome: "selected", optionId: once.optionId } };
    } catch {
      // The protocol has no field for the reason of a refusal.
      if (this.#isCancelled || !refused) return { outcome: { outcome: "cancelled" } };
      return { outcome: { outcome: "selected", optionId: refused.optionId } };
    }
  }

  #wish(tool: string, args: object): Promise<JsonObject> {
    const id = `acp_${randomUUID()}`;
    return new Promise<JsonObject>((resolve, reject) => {
      const refuse = (why: string): void => {
        if (this.#wishes.delete(id)) reject(new RequestError(REFUSED, why));
      };
      const grant = (answer: JsonObject): void => {
        if (this.#wishes.delete(id)) resolve(answer);
      };
      this.#wishes.set(id, refuse);
      this.arrivals.push({ kind: "wish", wish: { id, tool, args: args as JsonObject, grant, refuse } });
    });
  }

  async #inTime<T>(name: string, answer: Promise<T>, late: AbortSignal, ms: number): Promise<T> {
    const over = new Promise<never>((_, reject) => {
      const stop = (): void => reject(new Error(this.#lateText(name, ms)));
      if (late.aborted) stop();
      else late.addEventListener("abort", stop, { once: true });
    });
    try {
      return await Promise.race([answer, over]);
    } catch (error) {
      if (this.#connection.signal.aborted) throw new Error(await this.#endReason());
      throw error instanceof RequestError ? new Error(`its answer to ${name}: ${error.message}`) : error;
    }
  }

  #lateText(name: string, ms: number): string {
    const { stray } = this.#messages;
    const said = stray === undefined ? "" : `; on stdout it wrote ${JSON.stringify(stray)}`;
    return `it did not answer ${name} within ${ms / 1000} s${said}`;
  }

  async #endReason(): Promise<string> {
    const reason: unknown = this.#connection.signal.reason;
    const { exitCode, signal } = await this.#process.stop(GRACE_MS);
    if (reason instanceof Error && NO_PROTOCOL.test(reason.message)) return reason.message;
    const said = lastErrorLine(this.#process.readStderr().text);
    return `it ended with ${signal ?? `code ${exitCode}`}${said && `: ${said}`}`;
  }
}

const AUTH_REQUIRED = -32000;
const REFUSED = -32603;
/** Errors from our own reading of the program's output. */
const NO_PROTOCOL = /^it writes|^A line is longer/;

function absolute(path: string): string {
  if (!path.startsWith("/")) throw RequestError.invalidParams({ path }, "the path is not absolute");
  return path;
}

function variableName(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw RequestError.invalidParams({ name }, "this is not the name of a variable");
  return name;
}
