// `lathe mcp list|add|test|remove|login|logout`.

import type { JsonObject } from "@lathe/llm";
import { addServer, configFile, removeServer } from "../../additions/mcp/config-file.ts";
import { serverConfig } from "../../additions/mcp/configs.ts";
import { logIn, logOutOf } from "../../additions/mcp/login.ts";
import { stateText } from "../../additions/mcp/mcp-command.ts";
import { standaloneServers } from "../../additions/mcp/standalone.ts";
import type { ServerConfig } from "../../additions/mcp/types.ts";
import { NO_SERVERS } from "../../conversation/commands/no-servers.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { Found, McpServerValue } from "../../found/discovery/types.ts";
import { Run } from "../../hosts/run.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { listing } from "../../sessions/tables/listing.ts";
import { linesOf } from "./ask-secret.ts";
import type { Command } from "./command.ts";

type Verb = (argv: readonly string[], workspace: SessionWorkspace) => Promise<ExitCode>;

export const mcpCommand: Command = async ([verb = "list", ...argv], machine) => {
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!run) throw usageError(`lathe mcp knows ${Object.keys(VERBS).join(", ")}, not ${verb}. See: lathe mcp --help`);
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
    const { isProject, name, server } = addition(argv);
    const file = configFile(workspace, isProject);
    const isNew = await addServer(file, name, server);
    const { stdout, userHome } = workspace.machine;
    stdout.write(
      `${isNew ? "Added" : "Replaced"} ${name} in ${shownPath(file, userHome)}. Try it: lathe mcp test ${name}\n`,
    );
    if (isProject) stdout.write("It takes effect once this folder is trusted as it is now. Run: lathe trust\n");
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
    const configs = name === undefined ? await activeServers(workspace) : [await serverNamed(workspace, name)];
    const { manager, close } = standaloneServers(configs, workspace);
    try {
      let failed = 0;
      for (const server of manager.servers) {
        await server.connect().catch(() => {
          failed += 1;
        });
        workspace.machine.stdout.write(`${server.name}: ${stateText(server.state)}\n`);
        for (const { tool } of manager.tools().filter(({ ofServer }) => ofServer.server === server.name))
          workspace.machine.stdout.write(`  ${tool.name}\n`);
      }
      return failed > 0 ? EXIT.failed : EXIT.done;
    } finally {
      await close();
    }
  },

  login: async (argv, workspace) => {
    const config = await serverNamed(workspace, oneName(argv, "login"));
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
    const config = await serverNamed(workspace, oneName(argv, "logout"));
    workspace.machine.stdout.write(`${await logOutOf(config, workspace)}\n`);
    return EXIT.done;
  },
};

async function activeServers(workspace: SessionWorkspace): Promise<readonly ServerConfig[]> {
  const { active } = await (await workspace.discovery()).of("mcp-server");
  return active.map((found) => serverConfig(found, workspace));
}

async function serverNamed(workspace: SessionWorkspace, name: string): Promise<ServerConfig> {
  const servers = await activeServers(workspace);
  const found = servers.find((server) => server.name === name);
  if (!found) throw usageError(`There is no MCP server ${name} that takes effect here. See: lathe mcp list`);
  return found;
}

function oneName([name, ...more]: readonly string[], verb: string): string {
  if (name === undefined || more.length > 0) throw usageError(`Name one server: lathe mcp ${verb} <name>`);
  return name;
}

/** Options come before the name: everything after it belongs to the program. */
function addition(argv: readonly string[]): {
  readonly isProject: boolean;
  readonly name: string;
  readonly server: JsonObject;
} {
  const env: Record<string, string> = {};
  const headers: Record<string, string> = {};
  let isProject = false;
  let isSse = false;
  let at = 0;
  for (; argv[at]?.startsWith("--") && argv[at] !== "--"; at++) {
    const option = argv[at];
    if (option === "--project") isProject = true;
    else if (option === "--sse") isSse = true;
    else if (option === "--env") Object.assign(env, pair(argv[++at], "=", "--env NAME=value"));
    else if (option === "--header") Object.assign(headers, pair(argv[++at], ":", "--header 'Name: value'"));
    else throw usageError(`lathe mcp add does not know ${option}. See: lathe mcp --help`);
  }
  const [name, ...rest] = argv.slice(at).filter((word, i) => !(word === "--" && i <= 1));
  const [first, ...args] = rest;
  if (name === undefined || first === undefined)
    throw usageError("Give a name, then a command or an address: lathe mcp add <name> <command or address>");
  if (!/^[\w.-]+$/.test(name)) throw usageError(`"${name}" cannot name a server. Use letters, digits, _, - and dots.`);
  const isAddress = /^https?:\/\//.test(first);
  if (!isAddress && /^\w+:\/\//.test(first))
    throw usageError(`${first} is no address of a server: it begins with http:// or https://.`);
  if (isAddress && (args.length > 0 || Object.keys(env).length > 0))
    throw usageError("A server at an address takes --header, and no arguments or variables.");
  if (!isAddress && Object.keys(headers).length > 0) throw usageError("A program takes --env, and no headers.");
  return {
    isProject,
    name,
    server: isAddress
      ? { type: isSse ? "sse" : "http", url: first, ...(Object.keys(headers).length > 0 ? { headers } : {}) }
      : { command: first, ...(args.length > 0 ? { args } : {}), ...(Object.keys(env).length > 0 ? { env } : {}) },
  };
}

function pair(text: string | undefined, sign: string, form: string): Record<string, string> {
  const cut = text?.indexOf(sign) ?? -1;
  if (text === undefined || cut < 1) throw usageError(`Write it as ${form}.`);
  return { [text.slice(0, cut).trim()]: text.slice(cut + 1).trim() };
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

/** Without values of variables and headers: they may be secrets. */
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
