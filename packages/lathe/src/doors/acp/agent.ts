// The agent's side of the protocol: which method does what. Failures become JSON-RPC errors, and none of them ends a
// session.

import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeRequest,
  type InitializeResponse,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk/unstable";
import { InputRefused } from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import { signInCommand } from "../../config/credentials/source.ts";
import { Run } from "../../hosts/run.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { setMode } from "./options.ts";
import { AcpSessions } from "./sessions.ts";

export interface AcpAgentParts {
  readonly machine: Machine;
  readonly options: CliOptions;
  /** The client; throws before the connection exists. */
  readonly client: () => AgentContext;
}

export interface AcpAgent {
  readonly app: AgentApp;
  /** Ends every session. */
  close(): Promise<void>;
}

export function acpAgent({ machine, options, client }: AcpAgentParts): AcpAgent {
  let sessions: AcpSessions | undefined;
  const open = (): AcpSessions => {
    if (!sessions) throw new RequestError(-32600, "Send initialize first.");
    return sessions;
  };
  const initialize = ({ clientCapabilities = {} }: InitializeRequest): InitializeResponse => {
    sessions ??= new AcpSessions({ machine, options, client: client(), capabilities: clientCapabilities });
    return description(clientCapabilities);
  };
  const app = agent({ name: "lathe" })
    .onRequest("initialize", ({ params }) => initialize(params))
    .onRequest("authenticate", ({ params: { methodId } }) =>
      withRpcErrors(() => {
        if (!AUTH_METHODS.has(methodId))
          throw usageError(`Unknown sign-in method "${methodId}". Choose one of: ${[...AUTH_METHODS].join(", ")}.`);
        return mustHaveCredential(machine, options);
      }),
    )
    .onRequest("session/new", ({ params }) => withRpcErrors(() => open().create(params)))
    .onRequest("session/load", ({ params }) => withRpcErrors(() => open().load(params)))
    .onRequest("session/resume", ({ params }) => withRpcErrors(() => open().resume(params)))
    .onRequest("session/fork", ({ params }) => withRpcErrors(() => open().fork(params)))
    .onRequest("session/list", ({ params }) => withRpcErrors(() => open().list(params)))
    .onRequest("session/close", ({ params }) => withRpcErrors(() => open().close(params.sessionId)))
    .onRequest("session/delete", ({ params }) => withRpcErrors(() => open().remove(params.sessionId)))
    .onRequest("session/set_mode", ({ params: { sessionId, modeId } }) =>
      withRpcErrors(async () => {
        const session = open().get(sessionId);
        setMode(session.conversation, modeId);
        await session.tellMode();
        await session.tellOptions();
        return {};
      }),
    )
    .onRequest("session/set_config_option", ({ params: { sessionId, configId, value } }) =>
      withRpcErrors(async () => {
        const session = open().get(sessionId);
        await session.config.set(configId, value);
        if (configId === "mode") await session.tellMode();
        return { configOptions: await session.config.list() };
      }),
    )
    .onRequest("session/prompt", ({ params: { sessionId, prompt }, signal }) =>
      withRpcErrors(() => open().get(sessionId).prompt(prompt, signal)),
    )
    .onNotification("session/cancel", ({ params }) => sessions?.find(params.sessionId)?.cancel());
  return { app, close: async () => sessions?.closeAll() };
}

const LOGIN = "lathe-login";
const TERMINAL_LOGIN = "terminal-login";
const AUTH_METHODS: ReadonlySet<string> = new Set([LOGIN, TERMINAL_LOGIN]);

/** Lists only what works. */
const description = ({ auth }: ClientCapabilities): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: "lathe", title: "Lathe", version: LATHE_VERSION },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { additionalDirectories: {}, close: {}, delete: {}, fork: {}, list: {}, resume: {} },
  },
  authMethods: [
    {
      id: LOGIN,
      name: "lathe login",
      description: "Run lathe login <provider> in a terminal, or set the provider's key in the editor's configuration",
    },
    ...(auth?.terminal
      ? [{ type: "terminal" as const, id: TERMINAL_LOGIN, name: "Sign in in a terminal", args: ["login"] }]
      : []),
  ],
});

/** `lathe login` stores keys; this only checks whether there is one by now. */
async function mustHaveCredential(machine: Machine, options: CliOptions): Promise<Record<string, never>> {
  const workspace = await new Run(machine).open(options);
  const { registry } = await workspace.models();
  if (registry.available().length > 0) return {};
  const login = signInCommand(workspace.accounts().place);
  throw new CliError(EXIT.provider, `No credential was found. Run: ${login} <provider>`);
}

/** Turns failures into JSON-RPC errors of one line, without a stack. */
async function withRpcErrors<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const message = messageOf(error);
    // The session refused the input, for example an answer that the question does not offer.
    if (error instanceof InputRefused) throw new RequestError(-32602, message);
    if (!(error instanceof CliError)) throw new RequestError(-32603, message);
    const isCredential = error.exitCode === EXIT.provider && message.startsWith("No credential");
    throw new RequestError(isCredential ? -32000 : error.exitCode === EXIT.usage ? -32602 : -32603, message);
  }
}
