// The parameters of the methods that we answer, as far as the protocol requires them. The SDK decides whether a request
// is valid; these definitions only explain why one was refused.

import {
  anyObject,
  Checker,
  exactly,
  flag,
  integer,
  listOf,
  oneOf,
  openObject,
  optional,
  orNull,
  type Schema,
  text,
} from "@lathe/llm/schema";

/** Values that may be secrets are not repeated. */
const SECRET = { writeOnly: true };

const pairs = () => listOf(openObject({ name: text(), value: text(SECRET) }), SECRET);
const remoteServer = (type: string) =>
  openObject({ type: exactly(type), name: text(), url: text(SECRET), headers: pairs() });

/** MCP servers with a type; those without one are started with a command. */
const TYPED_SERVER = new Checker(
  oneOf(
    remoteServer("http"),
    remoteServer("sse"),
    openObject({ type: exactly("acp"), name: text(), serverId: text() }),
  ),
);
const STDIO_SERVER = new Checker(
  openObject({ name: text(), command: text(), args: listOf(text(SECRET), SECRET), env: pairs() }),
);

const block = oneOf(
  openObject({ type: exactly("text"), text: text() }),
  openObject({ type: exactly("image"), data: text(SECRET), mimeType: text() }),
  openObject({ type: exactly("audio"), data: text(SECRET), mimeType: text() }),
  openObject({ type: exactly("resource_link"), name: text(), uri: text() }),
  openObject({
    type: exactly("resource"),
    resource: oneOf(openObject({ uri: text(), text: text() }), openObject({ uri: text(), blob: text() })),
  }),
);

const session = { sessionId: text() };
const folders = { cwd: text(), additionalDirectories: optional(listOf(text())) };
const servers = listOf(anyObject());

const SHAPES: Readonly<Record<string, Schema>> = {
  initialize: openObject({ protocolVersion: integer({ minimum: 0, maximum: 65_535 }) }),
  authenticate: openObject({ methodId: text() }),
  "session/new": openObject({ ...folders, mcpServers: servers }),
  "session/load": openObject({ ...session, ...folders, mcpServers: servers }),
  "session/resume": openObject({ ...session, ...folders, mcpServers: optional(servers) }),
  "session/fork": openObject({ ...session, ...folders, mcpServers: optional(servers) }),
  "session/list": openObject({ cwd: optional(orNull(text())), cursor: optional(orNull(text())) }),
  "session/close": openObject(session),
  "session/delete": openObject(session),
  "session/set_mode": openObject({ ...session, modeId: text() }),
  "session/set_config_option": openObject({ ...session, configId: text(), value: oneOf(text(), flag()) }),
  "session/prompt": openObject({ ...session, prompt: listOf(block) }),
};

/** The first problem in the parameters of a request; undefined if these definitions see none. */
export function paramsProblem(method: string, params: unknown = {}): string | undefined {
  const shape = Object.hasOwn(SHAPES, method) ? SHAPES[method] : undefined;
  return shape && (new Checker(shape).wrongIn(params) ?? serverProblem(params));
}

function serverProblem(params: unknown): string | undefined {
  const { mcpServers = [] } = params as { readonly mcpServers?: readonly object[] };
  for (const [at, server] of mcpServers.entries()) {
    const wrong = ("type" in server ? TYPED_SERVER : STDIO_SERVER).wrongIn(server, `mcpServers[${at}]`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
