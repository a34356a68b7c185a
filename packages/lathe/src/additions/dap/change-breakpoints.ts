// Actions that set and remove breakpoints: on lines, functions, instructions and data.

import { ToolFailure } from "@lathe/agent";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { breakpointLine, shortPath } from "./describe.ts";
import { type ActionContext, requireArgument, requireCapability } from "./read-actions.ts";

export async function changeBreakpoints(at: ActionContext): Promise<string> {
  switch (at.request.action) {
    case "set_breakpoint":
    case "remove_breakpoint":
      return at.request.function === undefined ? changeLine(at) : changeFunction(at, at.request.function);
    case "set_instruction_breakpoint":
    case "remove_instruction_breakpoint":
      return changeInstruction(at);
    case "set_data_breakpoint":
    case "remove_data_breakpoint":
      return changeData(at);
    default:
      throw new ToolFailure(`Unknown action ${at.request.action}.`);
  }
}

const isSetting = ({ request: { action } }: ActionContext): boolean => action.startsWith("set_");

/** The conditions that every kind of breakpoint can have. */
function conditionsOf({ session, request: { action, condition, hit_condition: hitCondition } }: ActionContext) {
  if (condition !== undefined) requireCapability(session, "supportsConditionalBreakpoints", action);
  if (hitCondition !== undefined) requireCapability(session, "supportsHitConditionalBreakpoints", action);
  // Some debuggers would evaluate a hit condition that is not a number.
  const hit = /^\s*(==|[<>]=?|%)?\s*(\d+)\s*$/.exec(hitCondition ?? "0");
  if (hit === null)
    throw new ToolFailure(`hit_condition must be a number such as 3, >= 3 or % 3, not ${hitCondition}.`);
  const [, sign = ">=", digits] = hit;
  // Debuggers for compiled programs can only skip the first hits, and ignore every other condition.
  const { name, isNative } = session.adapter.row;
  if (isNative && sign !== ">=")
    throw new ToolFailure(`${name} supports only a hit_condition such as 3 (from the third hit on).`);
  return {
    ...(condition === undefined ? {} : { condition }),
    ...(hitCondition === undefined ? {} : { hitCondition: isNative ? digits : hitCondition }),
  };
}

async function changeLine(at: ActionContext): Promise<string> {
  const { session, request, options } = at;
  const file = requireArgument(request.file, request.action, "function, or file and line");
  const line = requireArgument(request.line, request.action, "line");
  const { breakpoints, env } = session;
  if (isSetting(at)) breakpoints.addLine(file, { line, ...conditionsOf(at) });
  else breakpoints.removeLine(file, line);
  const set = await breakpoints.sendFile(file, session, options);
  const place = `${shortPath(file, env.workingDirectory())}:${line}`;
  if (!isSetting(at)) return `Removed the breakpoint at ${place}.`;
  const index = breakpoints.files.get(file)?.findIndex((one) => one.line === line) ?? -1;
  return `Breakpoint at ${breakpointLine(place, set[index])}`;
}

async function changeFunction(at: ActionContext, name: string): Promise<string> {
  const { session, request, options } = at;
  if (request.file !== undefined || request.line !== undefined)
    throw new ToolFailure(`${request.action} takes function, or file and line, not both.`);
  requireCapability(session, "supportsFunctionBreakpoints", request.action);
  const { breakpoints } = session;
  const others = breakpoints.functions.filter((one) => one.name !== name);
  breakpoints.functions = isSetting(at) ? [...others, { name, ...conditionsOf(at) }] : others;
  const set = await breakpoints.sendFunctions(session, options);
  return isSetting(at) ? `Breakpoint at ${functionPlace(name, set.at(-1))}` : `Removed the breakpoint at ${name}.`;
}

const functionPlace = (name: string, set: DebugProtocol.Breakpoint | undefined): string =>
  set?.verified === false
    ? breakpointLine(name, { verified: false, ...(set.message ? { message: set.message } : {}) })
    : name;

async function changeInstruction(at: ActionContext): Promise<string> {
  const { session, request, options } = at;
  requireCapability(session, "supportsInstructionBreakpoints", request.action);
  const instructionReference = requireArgument(request.instruction_reference, request.action, "instruction_reference");
  const { offset = 0 } = request;
  const { breakpoints } = session;
  const isOther = (one: DebugProtocol.InstructionBreakpoint): boolean =>
    one.instructionReference !== instructionReference || (one.offset ?? 0) !== offset;
  const others = breakpoints.instructions.filter(isOther);
  breakpoints.instructions = isSetting(at)
    ? [...others, { instructionReference, offset, ...conditionsOf(at) }]
    : others;
  const set = await breakpoints.sendInstructions(session, options);
  if (!isSetting(at)) return `Removed the breakpoint at ${instructionReference}.`;
  const { verified, message } = set.at(-1) ?? { verified: true };
  return `Breakpoint at ${breakpointLine(instructionReference, { verified, ...(message ? { message } : {}) })}`;
}

async function changeData(at: ActionContext): Promise<string> {
  const { session, request, options } = at;
  requireCapability(session, "supportsDataBreakpoints", request.action);
  const dataId = requireArgument(request.data_id, request.action, "data_id");
  const { breakpoints } = session;
  const others = breakpoints.data.filter((one) => one.dataId !== dataId);
  const { access_type: accessType } = request;
  const wanted = { dataId, ...(accessType === undefined ? {} : { accessType }), ...conditionsOf(at) };
  breakpoints.data = isSetting(at) ? [...others, wanted] : others;
  const set = await breakpoints.sendData(session, options);
  return isSetting(at)
    ? `Watching ${breakpointLine(dataId, { verified: set.at(-1)?.verified ?? true, ...(set.at(-1)?.message ? { message: set.at(-1)!.message! } : {}) })}`
    : `No longer watching ${dataId}.`;
}
