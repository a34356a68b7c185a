// What a call would touch, asked before it is made.

import type { ToolCallData } from "@lathe/llm";
import { CallPaths } from "../../contract/paths/call-paths.ts";
import { validateArguments } from "../../contract/registry/validate.ts";
import type { DeclaredAccess } from "../../contract/tool.ts";
import type { HostChoices, Toolbox } from "../facades.ts";

export async function accessOf(
  core: HostChoices & Toolbox,
  { name, type, arguments: given }: Pick<ToolCallData, "name" | "type" | "arguments">,
  signal: AbortSignal,
): Promise<DeclaredAccess> {
  const tool = core.tools.get(name)?.tool;
  if (!tool?.access) return undefined;
  const checked = await validateArguments({ id: "", name, type, arguments: given }, tool.schema);
  if (!checked.ok) return undefined;
  const { env } = core.options;
  return tool.access(checked.args, { env, signal, paths: new CallPaths(env, signal), services: core.services });
}
