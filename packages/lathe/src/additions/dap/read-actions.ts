// Actions that read the state of a program. A request that the adapter has not announced is not sent.

import { ToolFailure } from "@lathe/agent";
import type { DebugAction, DebugRequest } from "@lathe/agent/tools";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { RequestOptions } from "./adapter-link.ts";
import type { DebugSession } from "./debug-session.ts";
import { frameLine, oneLine, shortPath, variableLine } from "./describe.ts";
import { readMemory } from "./memory.ts";

export interface ActionContext {
  readonly session: DebugSession;
  readonly request: DebugRequest;
  readonly options: RequestOptions;
}

type ReadAction = (at: ActionContext) => Promise<string>;

const MOST_FRAMES = 20;
const MOST_VARIABLES = 200;

export const READ_ACTIONS: Partial<Record<DebugAction, ReadAction>> = {
  evaluate: async ({ session, request, options }) => {
    const { context = "repl" } = request;
    const frameId = request.frame_id ?? (await session.topFrame(options))?.id;
    const expression = requireArgument(request.expression, "evaluate", "expression");
    const body = await session.ask<DebugProtocol.EvaluateResponse["body"]>(
      "evaluate",
      { expression, context, ...(frameId === undefined ? {} : { frameId }) },
      options,
    );
    const { result, type, variablesReference = 0, memoryReference } = body;
    const notes = [
      type && !result.includes(type) ? type : "",
      variablesReference > 0 ? `variable_ref ${variablesReference}` : "",
      memoryReference ? `memory_reference ${memoryReference}` : "",
    ].filter((note) => note !== "");
    return notes.length > 0 ? `${result}\n(${notes.join(", ")})` : result;
  },
  stack_trace: async ({ session, request, options }) => {
    const threadId = request.thread_id ?? (await session.threadId(options));
    const { stackFrames, totalFrames } = await session.ask<DebugProtocol.StackTraceResponse["body"]>(
      "stackTrace",
      { threadId, startFrame: 0, levels: request.levels ?? MOST_FRAMES },
      options,
    );
    const top = session.env.workingDirectory();
    const lines = stackFrames.map((frame) => `${frameLine(frame, top)}  (frame_id ${frame.id})`);
    const more = (totalFrames ?? 0) - lines.length;
    return [...lines, ...(more > 0 ? [`${more} more`] : [])].join("\n") || "There is no frame.";
  },
  threads: async ({ session, options }) => {
    const { threads } = await session.ask<DebugProtocol.ThreadsResponse["body"]>("threads", undefined, options);
    return threads
      .map(({ id, name }) => `${id} ${name}${id === session.stop?.threadId ? "  (stopped)" : ""}`)
      .join("\n");
  },
  scopes: async (at) =>
    (await scopesOf(at))
      .map(({ name, variablesReference }) => `${name}  (scope_id ${variablesReference})`)
      .join("\n") || "There is no scope.",
  variables: async (at) => {
    const { variable_ref, scope_id } = at.request;
    const wanted = variable_ref ?? scope_id;
    if (wanted !== undefined) return listVariables(at, wanted);
    const scopes = (await scopesOf(at)).filter(({ expensive, name }) => !expensive && !/global|register/i.test(name));
    const lists = await Promise.all(
      scopes.map(async ({ name, variablesReference }) => `${name}:\n${await listVariables(at, variablesReference)}`),
    );
    return lists.join("\n\n") || "There are no local variables.";
  },
  disassemble: async ({ session, request, options }) => {
    requireCapability(session, "supportsDisassembleRequest", "disassemble");
    const instructionCount = requireArgument(request.instruction_count, "disassemble", "instruction_count");
    const memoryReference = request.memory_reference ?? (await session.topFrame(options))?.instructionPointerReference;
    const { instructions = [] } = await session.ask<{ instructions?: DebugProtocol.DisassembledInstruction[] }>(
      "disassemble",
      {
        memoryReference: requireArgument(memoryReference, "disassemble", "memory_reference"),
        instructionCount,
        offset: request.offset ?? 0,
        resolveSymbols: true,
      },
      options,
    );
    return instructions
      .map(({ address, instruction, symbol }) => `${address}  ${instruction}${symbol ? `  <${symbol}>` : ""}`)
      .join("\n");
  },
  read_memory: ({ session, request, options }) =>
    readMemory(
      session,
      requireArgument(request.memory_reference, "read_memory", "memory_reference"),
      { offset: request.offset ?? 0, count: requireArgument(request.count, "read_memory", "count") },
      options,
    ),
  modules: async ({ session, options }) => {
    requireCapability(session, "supportsModulesRequest", "modules");
    const { modules } = await session.ask<{ modules: DebugProtocol.Module[] }>("modules", {}, options);
    return modules.map(({ name, path, version }) => [name, version, path].filter((word) => word).join("  ")).join("\n");
  },
  loaded_sources: async ({ session, options }) => {
    requireCapability(session, "supportsLoadedSourcesRequest", "loaded_sources");
    const { sources } = await session.ask<{ sources: DebugProtocol.Source[] }>("loadedSources", {}, options);
    const top = session.env.workingDirectory();
    return sources.map(({ path, name }) => (path === undefined ? name : shortPath(path, top))).join("\n");
  },
  data_breakpoint_info: async (at) => {
    const { session, request, options } = at;
    requireCapability(session, "supportsDataBreakpoints", "data_breakpoint_info");
    const name = requireArgument(request.variable ?? request.name, "data_breakpoint_info", "variable");
    const container = request.variable_ref ?? (await scopeWith(name, at));
    // Without a scope, lldb evaluates the name as an expression, including calls.
    if (container === undefined && !/^[a-z_]\w*(?:(?:\.|->)\w+|\[\d+\])*$/i.test(name))
      throw new ToolFailure(`${name} is not the name of a variable.`);
    const frameId = request.frame_id ?? (await session.topFrame(options))?.id;
    const { dataId, description, accessTypes } = await session.ask<DebugProtocol.DataBreakpointInfoResponse["body"]>(
      "dataBreakpointInfo",
      { name, ...(container === undefined ? { frameId } : { variablesReference: container }) },
      options,
    );
    return dataId === null
      ? `${name} cannot be watched: ${description}`
      : `data_id ${dataId}\n${description}${accessTypes ? `\naccess_type: ${accessTypes.join(", ")}` : ""}`;
  },
};

async function scopesOf({ session, request, options }: ActionContext): Promise<readonly DebugProtocol.Scope[]> {
  const frameId = request.frame_id ?? (await session.topFrame(options))?.id;
  // If the program has ended, the request itself says so.
  if (frameId === undefined && session.state !== "ended")
    throw new ToolFailure("The program is running. Call `pause` first.");
  const { scopes } = await session.ask<DebugProtocol.ScopesResponse["body"]>("scopes", { frameId }, options);
  return scopes;
}

/** The scope that contains a variable: lldb takes a bare name for an address. */
async function scopeWith(name: string, at: ActionContext): Promise<number | undefined> {
  for (const { variablesReference, expensive } of await scopesOf(at)) {
    if (expensive) continue;
    const body = await at.session.ask<DebugProtocol.VariablesResponse["body"]>(
      "variables",
      { variablesReference },
      at.options,
    );
    if (body.variables.some((one) => one.name === name)) return variablesReference;
  }
  return undefined;
}

async function listVariables({ session, options }: ActionContext, variablesReference: number): Promise<string> {
  const { variables } = await session.ask<DebugProtocol.VariablesResponse["body"]>(
    "variables",
    { variablesReference },
    options,
  );
  const lines = variables.slice(0, MOST_VARIABLES).map(variableLine);
  const more = variables.length - lines.length;
  return [...lines, ...(more > 0 ? [`${more} more`] : [])].join("\n") || "(none)";
}

/** Fails if the request lacks an argument that the action needs. */
export function requireArgument<T>(value: T | undefined, action: DebugAction, name: string): T {
  if (value === undefined) throw new ToolFailure(`${action} needs ${name}.`);
  return value;
}

/** Fails if the adapter has not announced this capability. */
export function requireCapability(
  session: DebugSession,
  capability: keyof DebugProtocol.Capabilities,
  action: DebugAction,
): void {
  if (!session.capabilities[capability])
    throw new ToolFailure(`The debugger ${session.name} does not support ${action} (${capability}).`);
}

export const describeJson = (value: unknown): string => oneLine(JSON.stringify(value, null, 2), 20_000);
