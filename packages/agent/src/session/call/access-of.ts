// Asks a tool, before a call runs, what the call would access and change.

import type { JsonObject } from "@lathe/llm";
import { CallPaths } from "../../contract/paths/call-paths.ts";
import { validateArguments } from "../../contract/registry/validate.ts";
import type { AskedCall } from "../../contract/seams/types.ts";
import type { CallScope, DeclaredAccess, Preview, ToolDef } from "../../contract/tool.ts";
import type { HostChoices, Toolbox } from "../facades.ts";

type Core = HostChoices & Toolbox;

export async function accessOf(core: Core, call: AskedCall, signal: AbortSignal): Promise<DeclaredAccess> {
  return look(core, call, signal, (tool, args, scope) => tool.access?.(args, scope));
}

export async function previewOfCall(core: Core, call: AskedCall, signal: AbortSignal): Promise<Preview | undefined> {
  return look(core, call, signal, (tool, args, scope) => tool.preview?.(args, scope));
}

async function look<T>(
  core: Core,
  { name, type, arguments: given }: AskedCall,
  signal: AbortSignal,
  ask: (tool: ToolDef, args: JsonObject, scope: CallScope) => Promise<T> | T,
): Promise<T | undefined> {
  const tool = core.tools.get(name)?.tool;
  if (!tool) return undefined;
  const checked = await validateArguments({ id: "", name, type, arguments: given }, tool.schema);
  if (!checked.ok) return undefined;
  const { env } = core.options;
  return ask(tool, checked.args, { env, signal, paths: new CallPaths(env, signal), services: core.services });
}
