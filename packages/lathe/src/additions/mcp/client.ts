// One connection to one server, through the protocol's own package.

import type { ExecutionEnvironment } from "@lathe/agent";
import {
  type AuthProvider,
  Client,
  type ClientOptions,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitRequest,
  type ElicitResult,
  ProtocolError,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { withoutBrokenTools } from "./broken-tools.ts";
import { listPrompts, listTools } from "./definitions.ts";
import { limitedFetch } from "./limited-fetch.ts";
import { MESSAGE_WINDOW_MS, MOST_INSTRUCTION_CHARS, MOST_MESSAGES } from "./limits.ts";
import { ProcessTransport } from "./process-transport.ts";
import type { Definitions, ServerConfig } from "./types.ts";
import { expandVariables, resolveValues, type ValueSources } from "./values.ts";

export interface ConnectOptions {
  readonly config: ServerConfig;
  /** The environment for programs; called only if one runs. */
  readonly env: () => ExecutionEnvironment | Promise<ExecutionEnvironment>;
  readonly values: ValueSources;
  /** Directories that the server may know about. */
  readonly roots: readonly string[];
  readonly version: string;
  readonly now: () => number;
  /** Absent if the user does not sign in. */
  readonly auth?: AuthProvider | undefined;
  readonly startTimeoutMs: number;
  readonly hooks: ConnectionHooks;
}

interface ConnectionHooks extends ServerQuestions {
  /** The connection ended by itself. Without a reason, it ended with the session's environment. */
  onEnd(reason: string | undefined): void;
  onDefinitions(definitions: Definitions): void;
  /** Tools of its list that cannot be offered. */
  onBroken(tools: readonly string[]): void;
}

/** How a server asks the user and the model. */
export interface ServerQuestions {
  /** Asks the user; absent if no user is present. */
  readonly elicit?: ((request: ElicitRequest["params"], signal: AbortSignal) => Promise<ElicitResult>) | undefined;
  /** Asks the session's model; absent unless the user allowed it. */
  readonly sample?: ((request: CreateMessageRequest["params"]) => Promise<CreateMessageResult>) | undefined;
}

/** A connected server with what it offers. */
export interface Connected {
  readonly client: Client;
  readonly definitions: Definitions;
  /** Name and version, as the server gives them. */
  readonly label: string;
  close(): Promise<void>;
}

/** The server requires a sign-in that we do not have. */
export class SignInNeeded extends Error {
  constructor(message = "it needs a sign-in") {
    super(message);
    this.name = "SignInNeeded";
  }
}

/** Status codes with which an SSE-only server answers a POST to its address. */
const OLDER_SERVER: ReadonlySet<number> = new Set([400, 404, 405]);

export async function connectServer(options: ConnectOptions): Promise<Connected> {
  try {
    return await connectWith(options, "legacy");
  } catch (error) {
    // An older server refuses streamable HTTP at the same address.
    const isOlder = options.config.transport === "http" && error instanceof SdkHttpError;
    if (isOlder && OLDER_SERVER.has(error.status ?? 0))
      return connectWith({ ...options, config: { ...options.config, transport: "sse" } }, "legacy").catch(() => {
        throw asSignIn(error);
      });
    // The server answered, but does not know the older handshake.
    if (!(error instanceof ProtocolError)) throw asSignIn(error);
    return connectWith(options, "auto").catch((later: unknown) => {
      throw asSignIn(later);
    });
  }
}

function asSignIn(error: unknown): unknown {
  const isRefused = error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401);
  return isRefused ? new SignInNeeded() : error;
}

async function connectWith(options: ConnectOptions, mode: "legacy" | "auto"): Promise<Connected> {
  const { config, startTimeoutMs, hooks } = options;
  const transport = await transportOf(options);
  let problem = "";
  const client = new Client(
    { name: "lathe", version: options.version },
    clientOptions(options, mode, () => lists),
  );
  answerServer(client, options);
  const endBecause = (reason: string): void => {
    problem = reason;
    void transport.close();
  };
  guard(transport, options.now, endBecause, (tools) => hooks.onBroken(tools));
  const lists: Lists = { tools: [], prompts: [] };
  const definitionsNow = (): Definitions => definitionsOf(client, lists);
  lists.onChange = () => hooks.onDefinitions(definitionsNow());
  const endOf = (): string | undefined => (transport instanceof ProcessTransport ? transport.end : "");
  try {
    await client.connect(transport, { timeout: startTimeoutMs });
    const capabilities = client.getServerCapabilities() ?? {};
    const limits = { timeout: startTimeoutMs };
    const [tools, prompts] = await Promise.all([
      capabilities.tools ? client.listTools({}, limits) : { tools: [] },
      capabilities.prompts ? client.listPrompts({}, limits) : { prompts: [] },
    ]);
    lists.tools = listTools(tools.tools, config);
    lists.prompts = listPrompts(prompts.prompts);
  } catch (error) {
    const reason = problem || endOf();
    await client.close();
    throw reason ? new Error(reason) : error;
  }
  client.onclose = () => hooks.onEnd(problem || (endOf() === "" ? "it closed the connection" : endOf()));
  const { name = config.name, version = "" } = client.getServerVersion() ?? {};
  return {
    client,
    definitions: definitionsNow(),
    label: `${name} ${version}`.trim().slice(0, 80),
    close: async () => {
      client.onclose = () => {};
      // No client returns to this session of the server.
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => {});
      await client.close();
    },
  };
}

interface Lists {
  tools: Definitions["tools"];
  prompts: Definitions["prompts"];
  onChange?: () => void;
}

function definitionsOf(client: Client, { tools, prompts }: Lists): Definitions {
  const instructions = client.getInstructions()?.trim().slice(0, MOST_INSTRUCTION_CHARS).toWellFormed();
  return {
    tools,
    prompts,
    hasResources: client.getServerCapabilities()?.resources !== undefined,
    ...(instructions ? { instructions } : {}),
  };
}

function clientOptions(
  { config, hooks }: ConnectOptions,
  mode: "legacy" | "auto",
  listsOf: () => Lists,
): ClientOptions {
  return {
    versionNegotiation: { mode },
    capabilities: {
      roots: {},
      ...(hooks.elicit ? { elicitation: { form: {}, url: {} } } : {}),
      ...(hooks.sample ? { sampling: {} } : {}),
    },
    listChanged: {
      tools: {
        onChanged: (error, tools) => {
          if (error || !tools) return; // the earlier list stays
          listsOf().tools = listTools(tools, config);
          listsOf().onChange?.();
        },
      },
      prompts: {
        onChanged: (error, prompts) => {
          if (error || !prompts) return;
          listsOf().prompts = listPrompts(prompts);
          listsOf().onChange?.();
        },
      },
    },
  };
}

function answerServer(client: Client, { roots, hooks }: ConnectOptions): void {
  const { elicit, sample } = hooks;
  client.setRequestHandler("roots/list", () => ({
    roots: roots.map((path) => ({ uri: `file://${encodeURI(path)}` })),
  }));
  if (elicit) client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => elicit(params, mcpReq.signal));
  if (sample) client.setRequestHandler("sampling/createMessage", ({ params }) => sample(params));
}

/**
 * Ends the connection if the server sends too many unrequested messages in a short time. Also removes invalid tools
 * from lists before the protocol's package would refuse the whole list.
 */
function guard(
  transport: Transport,
  now: () => number,
  onFlood: (reason: string) => void,
  onBroken: (tools: readonly string[]) => void,
): void {
  let since = now();
  let messages = 0;
  let answersDue = 0;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("method" in message && "id" in message) answersDue += 1;
    return send(message, options);
  };
  transport.onmessage = (message) => {
    const broken = withoutBrokenTools(message);
    if (broken.length > 0) onBroken(broken);
    if (!("method" in message) && answersDue > 0) {
      answersDue -= 1;
      return;
    }
    if (now() - since > MESSAGE_WINDOW_MS) {
      since = now();
      messages = 0;
    }
    if (++messages === MOST_MESSAGES + 1)
      onFlood(`it sent more than ${MOST_MESSAGES} messages in ${MESSAGE_WINDOW_MS / 1000} s`);
    // The messages after this one are ignored.
    if (messages > MOST_MESSAGES) throw new Error("too many messages");
  };
}

async function transportOf({ config, env: environment, values, auth }: ConnectOptions): Promise<Transport> {
  const text = (value: string): string => (config.isLiteral ? value : expandVariables(value, values.env));
  const resolveNamed = async (given: ServerConfig["env"]): Promise<Record<string, string>> =>
    config.isLiteral ? { ...given } : resolveValues(given, values);
  if (config.transport === "stdio") {
    const { command = "", args = [], cwd } = config;
    const variables = await resolveNamed(config.env);
    const argv = [text(command), ...args.map(text)] as const;
    return new ProcessTransport(async () => {
      const env = await environment();
      if (!env.startProcess) throw new Error("programs cannot be started here");
      return env.startProcess(argv, { env: variables, ...(cwd === undefined ? {} : { cwd: env.resolve(text(cwd)) }) });
    });
  }
  const url = new URL(text(config.url ?? ""));
  const options = {
    requestInit: { headers: await resolveNamed(config.headers) },
    fetch: limitedFetch,
    ...(auth ? { authProvider: auth } : {}),
  };
  return config.transport === "sse"
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, options);
}
