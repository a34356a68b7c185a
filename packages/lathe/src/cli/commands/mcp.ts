// `lathe mcp list|add|add-json|get|test|remove|login|logout`.

import { isJsonObject, type JsonObject, messageOf } from "@lathe/llm";
import { addServer, configFile, removeServer } from "../../additions/mcp/config-file.ts";
import { foundServers, learnLiterals } from "../../additions/mcp/configs.ts";
import { logIn, logOutOf } from "../../additions/mcp/login.ts";
import { stateText } from "../../additions/mcp/mcp-command.ts";
import { standaloneServers } from "../../additions/mcp/standalone.ts";
import type { ServerConfig } from "../../additions/mcp/types.ts";
import { NO_SERVERS } from "../../conversation/commands/no-servers.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { wrongField } from "../../found/discovery/mcp-server-fields.ts";
import type { Found, McpServerValue } from "../../found/discovery/types.ts";
import { Run } from "../../hosts/run.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { listing } from "../../sessions/tables/listing.ts";
import { linesOf } from "./ask-secret.ts";
import type { Command } from "./command.ts";
import { type AddedServer, checkServerName, readAddition } from "./mcp-add.ts";

type Verb = (argv: readonly string[], workspace: SessionWorkspace) => Promise<ExitCode>;

export const mcpCommand: Command = async ([verb = "list", ...argv], machine) => {
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!run)
    throw usageError(
      `Unknown command "lathe mcp ${verb}". Choose one of ${Object.keys(VERBS).join(", ")}. See: lathe mcp --help`,
    );
  return run(argv, await new Run(machine).open({}));
};

const VERBS: Readonly<Record<string, Verb>> = {
  list: async (argv, workspace) => {
    if (argv.some((word) => word !== "--json")) throw usageError("lathe mcp list takes only --json.");
    const { all, warnings } = await (await workspace.discovery()).of("mcp-server");
    const { stdout, stderr, userHome } = workspace.machine;
    for (const { path, line, message } of warnings)
      stderr.write(`lathe: ${shownPath(path, userHome)}${line === undefined ? "" : `:${line}`}: ${message}\n`);
    if (argv.includes("--json"))
      stdout.write(
        `${JSON.stringify(
          all.map((found) => asJson(found, workspace)),
          null,
          2,
        )}\n`,
      );
    else if (all.length === 0) stdout.write(`${NO_SERVERS}\n`);
    else stdout.write(`${listing(all.map((found) => [found.name, describeServer(found, workspace)]))}\n`);
    return EXIT.done;
  },

  add: async (argv, workspace) => {
    return add(readAddition(argv), workspace);
  },

  "add-json": async (argv, workspace) => {
    const [name, text, ...more] = argv.filter((word) => word !== "--project");
    if (name === undefined || text === undefined || more.length > 0)
      throw usageError(`Give a name and one object: lathe mcp add-json <name> '{"command": "npx", "args": ["x"]}'`);
    checkServerName(name);
    return add({ isProject: argv.includes("--project"), name, server: parseServer(text) }, workspace);
  },

  get: async (argv, workspace) => {
    const name = oneName(
      argv.filter((word) => word !== "--json"),
      "get",
    );
    const { all } = await (await workspace.discovery()).of("mcp-server");
    const found = all.filter((one) => one.name === name);
    if (found.length === 0) throw usageError(`There is no MCP server ${name}. See: lathe mcp list`);
    const entries = found.map((one) => asJson(one, workspace));
    const { stdout } = workspace.machine;
    if (argv.includes("--json")) stdout.write(`${JSON.stringify(entries, null, 2)}\n`);
    else
      for (const entry of entries)
        stdout.write(`${listing(Object.entries(entry).map(([key, value]) => [key, shownValue(value)]))}\n`);
    return EXIT.done;
  },

  remove: async (argv, workspace) => {
    const [name, ...more] = argv.filter((word) => word !== "--project");
    if (name === undefined || more.length > 0) throw usageError("Name one server: lathe mcp remove [--project] <name>");
    const file = configFile(workspace, argv.includes("--project"));
    const shown = shownPath(file, workspace.machine.userHome);
    if (!(await removeServer(file, name)))
      throw usageError(`There is no server ${name} in ${shown}. See: lathe mcp list`);
    workspace.machine.stdout.write(`Removed ${name} from ${shown}.\n`);
    return EXIT.done;
  },

  test: async ([name, ...more], workspace) => {
    if (more.length > 0) throw usageError("lathe mcp test takes one server, or none for all.");
    const configs = name === undefined ? await foundServers(workspace) : [await findServer(workspace, name)];
    const { manager, close } = standaloneServers(configs, workspace);
    // A server may return a value of its own variables as its name.
    learnLiterals(configs, workspace);
    const { redactor, machine } = workspace;
    const write = (line: string): void => void machine.stdout.write(`${redactor.text(line)}\n`);
    try {
      let failed = 0;
      for (const server of manager.servers) {
        if (name === undefined && server.config.enabled === false) {
          write(`${server.name}: off; to test it: lathe mcp test ${server.name}`);
          continue;
        }
        await server.connect().catch(() => {
          failed += 1;
        });
        write(`${server.name}: ${stateText(server.state)}`);
        for (const tool of manager.tools().filter(({ ofServer }) => ofServer.server === server.name))
          write(`  ${tool.name}`);
      }
      return failed > 0 ? EXIT.failed : EXIT.done;
    } finally {
      await close();
    }
  },

  login: async (argv, workspace) => {
    const config = await findServer(workspace, oneName(argv, "login"));
    const stop = new AbortController();
    const onInterrupt = (): void => stop.abort();
    process.once("SIGINT", onInterrupt);
    const { stdin, stderr, stdout } = workspace.machine;
    try {
      await logIn(config, workspace, {
        show: (line) => void stderr.write(`${line}\n`),
        signal: stop.signal,
        ...(stdin.isTTY ? { pastedLines: (signal: AbortSignal) => linesOf(stdin, signal) } : {}),
      });
    } finally {
      process.off("SIGINT", onInterrupt);
    }
    stdout.write(`Signed in to ${config.name}.\n`);
    return EXIT.done;
  },

  logout: async (argv, workspace) => {
    const config = await findServer(workspace, oneName(argv, "logout"));
    workspace.machine.stdout.write(`${await logOutOf(config, workspace)}\n`);
    return EXIT.done;
  },
};

const shownValue = (value: unknown): string => (Array.isArray(value) ? value.join(" ") : String(value));

async function add({ isProject, name, server }: AddedServer, workspace: SessionWorkspace): Promise<ExitCode> {
  const file = configFile(workspace, isProject);
  const isNew = await addServer(file, name, server, isProject);
  const { stdout, userHome } = workspace.machine;
  stdout.write(
    `${isNew ? "Added" : "Replaced"} ${name} in ${shownPath(file, userHome)}. Try it: lathe mcp test ${name}\n`,
  );
  if (isProject) stdout.write("It takes effect once this folder is trusted as it is now. Run: lathe trust\n");
  return EXIT.done;
}

/** Parses an entry as given in the documentation of a server. */
function parseServer(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`The second word is not valid JSON: ${messageOf(error)}`);
  }
  const wrong = isJsonObject(value) ? wrongField(value) : "it must be one object: { … }";
  if (wrong !== undefined) throw usageError(`This server cannot be added: ${wrong.replace("; it is not used", "")}.`);
  const server = value as JsonObject;
  if (server["command"] === undefined && !["url", "httpUrl", "serverUrl"].some((key) => server[key] !== undefined))
    throw usageError('This server cannot be added: it has neither "command" nor "url".');
  return server;
}

async function findServer(workspace: SessionWorkspace, name: string): Promise<ServerConfig> {
  const servers = await foundServers(workspace);
  const found = servers.find((server) => server.name === name);
  if (!found) throw usageError(`There is no MCP server ${name} that takes effect here. See: lathe mcp list`);
  return found;
}

function oneName([name, ...more]: readonly string[], verb: string): string {
  if (name === undefined || more.length > 0) throw usageError(`Name one server: lathe mcp ${verb} <name>`);
  return name;
}

function describeServer(
  { value, source, shadowedBy, ignored }: Found<McpServerValue>,
  { machine }: SessionWorkspace,
): string {
  const what = value.url ?? [value.command, ...(value.args ?? [])].join(" ");
  const off = value.enabled === false ? "off" : undefined;
  const state = shadowedBy ? `shadowed by ${shownPath(shadowedBy.path, machine.userHome)}` : (ignored ?? off);
  return `${what} (${shownPath(source.path, machine.userHome)}${state === undefined ? "" : `; ${state}`})`;
}

/** Leaves out the values of variables and headers, which may be secrets. */
function asJson(
  { name, value, source, shadowedBy, ignored }: Found<McpServerValue>,
  { machine }: SessionWorkspace,
): object {
  const { env, headers, oauth: _, ...rest } = value;
  return {
    name,
    ...rest,
    ...(env ? { env: Object.keys(env) } : {}),
    ...(headers ? { headers: Object.keys(headers) } : {}),
    file: shownPath(source.path, machine.userHome),
    provider: source.provider,
    ...(shadowedBy ? { shadowedBy: shownPath(shadowedBy.path, machine.userHome) } : {}),
    ...(ignored === undefined ? {} : { ignored }),
  };
}
