// The tools through which an ACP agent acts in its session: so its reads, commands and permission requests are judged,
// shown and journalled like those of any agent. They are never offered to a model.

import type { SessionTool, ToolDef } from "@lathe/agent";
import { type Access, type CallScope, type Tier, ToolFailure } from "@lathe/agent/contract";
import { commandAccess } from "@lathe/agent/tools";
import type { JsonObject } from "@lathe/llm";
import { anyObject, flag, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { Terminals } from "./terminals.ts";
import { ACP_TOOLS } from "./tool-names.ts";

/** Passes results to the agent beyond those in the journal. */
export interface AnswerDesk {
  readonly terminals: Terminals;
  /** Answers the wish that became this call. */
  answer(callId: string, answer: JsonObject): void;
}

/** `desk` belongs to the program that is running now. */
export const acpTools = (desk: () => AnswerDesk): readonly SessionTool[] =>
  [readTool(desk), terminalTool(desk), permissionTool, workTool] as readonly unknown[] as readonly SessionTool[];

const realOf = async (path: string, { paths }: Pick<CallScope, "paths">): Promise<string> =>
  (await paths.locate(path)).real;

const readParams = { path: text(), line: optional(integer()), limit: optional(integer()) };

/** Returns the file's exact contents; our own tools add line numbers and limits. */
const readTool = (desk: () => AnswerDesk): ToolDef<StaticFields<typeof readParams>> => ({
  name: ACP_TOOLS.read,
  label: "Read",
  description: "Reads a text file for an ACP agent.",
  schema: object(readParams),
  tier: "read",
  replay: "safe",
  access: async ({ path }, scope) => [{ kind: "read", path: await realOf(path, scope) }],
  summary: ({ path }) => path,
  card: ({ path }) => ({ verb: "Read", subject: path, namesFiles: true, group: "explored" }),
  async execute({ path, line, limit }, context) {
    const content = await context.env.readFile(await realOf(path, context), line, limit);
    desk().answer(context.callId, { content });
    return `Gave the agent ${content.length} characters of ${path}.`;
  },
});

const terminalParams = { command: text(), cwd: optional(text()), limit: optional(integer()) };

const terminalTool = (desk: () => AnswerDesk): ToolDef<StaticFields<typeof terminalParams>> => ({
  name: ACP_TOOLS.terminal,
  label: "Run",
  description: "Starts a command for an ACP agent.",
  schema: object(terminalParams),
  tier: "exec",
  replay: "never",
  access: async ({ command, cwd = "." }, scope) => commandAccess(command, await realOf(cwd, scope), scope),
  summary: ({ command }) => command,
  card: ({ command }) => ({ verb: "Started", subject: command }),
  async execute({ command, cwd = ".", limit }, context) {
    if (!context.env.startCommand) throw new ToolFailure("Commands cannot be started here.");
    const started = context.env.startCommand(command, { cwd: await realOf(cwd, context) });
    const { terminals, answer } = desk();
    answer(context.callId, { terminalId: terminals.add(started, limit) });
    return { content: [{ kind: "text", text: "Started. Its output goes to the agent." }], effects: "unknown" };
  },
});

const aboutParams = { title: text(), kind: text(), paths: listOf(text()) };
const permissionParams = { ...aboutParams, input: anyObject() };
type PermissionArgs = StaticFields<typeof permissionParams>;

/** This call is only the question: if the answer is yes, the agent does the work itself. */
const permissionTool: ToolDef<PermissionArgs> = {
  name: ACP_TOOLS.permission,
  label: "Permission",
  description: "Asks whether an ACP agent may do something with a tool of its own.",
  schema: object(permissionParams),
  tier: ({ kind, input }) => (input["command"] === undefined ? (TIERS[kind] ?? "exec") : "exec"),
  replay: "never",
  access: permissionAccess,
  summary: ({ title }) => title,
  card: ({ title }, result) => ({
    verb: result ? (result.isError ? "Refused" : "Allowed") : "Asking",
    subject: title,
  }),
  execute: () => ({ content: [{ kind: "text", text: "Allowed." }], effects: "none" }),
};

const TIERS: Readonly<Record<string, Tier>> = {
  read: "read",
  search: "read",
  think: "read",
  edit: "write",
  delete: "write",
  move: "write",
  fetch: "network",
};

/**
 * Undefined if the agent does not say what it will access: then the user is asked, or the call is refused if that is
 * not possible.
 */
async function permissionAccess(
  { kind, paths, input: { command, url } }: PermissionArgs,
  scope: CallScope,
): Promise<readonly Access[] | undefined> {
  // Whatever the call's kind, a call that runs a command is judged by the command.
  if (command !== undefined)
    return typeof command === "string" ? commandAccess(command, await realOf(".", scope), scope) : undefined;
  const tier = TIERS[kind];
  if (kind === "think") return [];
  if (tier === "read" || tier === "write")
    return paths.length === 0
      ? undefined
      : Promise.all(paths.map(async (path) => ({ kind: tier, path: await realOf(path, scope) })));
  if (kind === "fetch" && typeof url === "string" && URL.canParse(url))
    return [{ kind: "network", host: new URL(url).host }];
  return undefined;
}

const workParams = { ...aboutParams, output: text(), failed: flag() };
type WorkArgs = StaticFields<typeof workParams>;

/** Something the agent did with its own tool: this call only records it. */
const workTool: ToolDef<WorkArgs> = {
  name: ACP_TOOLS.work,
  label: "Agent",
  description: "Tells what an ACP agent did with a tool of its own.",
  schema: object(workParams),
  tier: "read",
  replay: "safe",
  access: () => [],
  summary: ({ title }) => title,
  card: workCard,
  execute: ({ output, failed }) => ({
    content: [{ kind: "text", text: output === "" ? "It reported no output." : output }],
    isError: failed,
    effects: "unknown",
  }),
};

const VERBS: Readonly<Record<string, string>> = {
  read: "Read",
  search: "Searched",
  edit: "Edited",
  delete: "Deleted",
  move: "Moved",
  execute: "Ran",
  fetch: "Fetched",
};
const COLLAPSED_LINES = 5;

function workCard({ title, kind, paths, output, failed }: WorkArgs): ReturnType<NonNullable<ToolDef["card"]>> {
  const files = paths.filter((path) => !title.includes(path));
  return {
    verb: VERBS[kind] ?? "Did",
    subject: files.length === 0 ? title : `${title} (${files.join(", ")})`,
    ...(failed ? { failed, outcome: "failed" } : {}),
    ...(output === "" ? {} : { body: { kind: "output", text: output, keeps: "tail", collapsed: COLLAPSED_LINES } }),
  };
}
