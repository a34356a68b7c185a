// The payloads that hooks get about a call, in the terms of the agent that they were written for.

import { readFileSync, statSync } from "node:fs";
import type { ToolResult } from "@lathe/agent";
import type { JsonObject } from "@lathe/llm";
import {
  changedArguments,
  type ForeignCall,
  foreignCalls,
  type OwnCall,
} from "../../config/tool-names/foreign-calls.ts";
import { namesOf, workOf } from "../../config/tool-names/tool-names.ts";
import type { HookPayload } from "./command-hooks.ts";
import type { CommandHook } from "./read-hooks.ts";

export interface HookedCall extends OwnCall {
  readonly callId: string;
  readonly agentId: string | undefined;
  /** The call's result, once it has run. */
  readonly result?: ToolResult;
}

/** Empty if the hook is for other calls. */
export function payloadsOf(hook: CommandHook, call: HookedCall): readonly HookPayload[] {
  if (hook.only !== undefined) return cursorPayloads(hook, call);
  const { tool, agentId, callId, result } = call;
  return foreignCalls(hook.dialect, call).map((shown) => ({
    names: namesOf(shown.as),
    fields: {
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      tool_name: shown.name,
      tool_input: shown.input,
      tool_use_id: callId,
      ...(hook.dialect === "copilot" ? { toolName: shown.name, toolArgs: JSON.stringify(shown.input) } : {}),
      ...(result === undefined ? {} : { tool_response: responseOf(call, shown, result) }),
      lathe: { tool, agentId: agentId ?? null },
    },
    ...(hook.dialect === "lathe" ? {} : { argumentsFrom: (changed) => changedArguments(call, shown, changed) }),
  }));
}

/** The payloads of a failed call. */
export const failurePayloads = (hook: CommandHook, call: HookedCall): readonly HookPayload[] =>
  payloadsOf(hook, call).map((payload) => {
    const { tool_response: _, ...fields } = payload.fields;
    const error = call.result === undefined ? "" : textOf(call.result);
    return { ...payload, fields: { ...fields, error, error_message: error, is_interrupt: false } };
  });

/** Cursor has a separate event for each kind of call. */
function cursorPayloads({ only }: CommandHook, call: HookedCall): readonly HookPayload[] {
  const { tool, args, cwd, result } = call;
  const output = result === undefined ? undefined : textOf(result);
  const shown = foreignCalls("claude", call);
  if (only === "shell")
    return shown.flatMap(({ as, input }) => {
      if (workOf(as) !== "shell") return [];
      const command = String(input["command"] ?? "");
      const fields = { command, cwd, sandbox: false, ...(output === undefined ? {} : { output }) };
      return [{ names: [command], fields }];
    });
  const [, , ...name] = tool.split("__");
  if (only === "mcp" && tool.startsWith("mcp__")) {
    const said = output === undefined ? {} : { result_json: output };
    return [
      { names: [name.join("__")], fields: { tool_name: name.join("__"), tool_input: JSON.stringify(args), ...said } },
    ];
  }
  if (only === "read")
    return readPaths(call, shown).map((path) => filePayload(path, { content: contentOf(path), attachments: [] }));
  if (only !== "edit" || result?.isError === true) return [];
  const edits = shown.filter(({ as }) => workOf(as) === "edit" || workOf(as) === "write");
  return edits.map(({ input }) => {
    const texts = { old_string: input["old_string"] ?? "", new_string: input["new_string"] ?? input["content"] ?? "" };
    return filePayload(String(input["file_path"]), { edits: [texts] });
  });
}

const filePayload = (path: string, more: JsonObject): HookPayload => ({
  names: [path],
  fields: { file_path: path, ...more },
});

/** The files that a call read, including those that a tool of another kind read as part of its work. */
function readPaths({ tool, access = [] }: HookedCall, shown: readonly ForeignCall[]): readonly string[] {
  const named = workOf(tool) === "read" ? shown.map(({ input }) => String(input["file_path"])) : [];
  const opened = access.flatMap((item) => (item.kind === "read" && !("search" in item) ? item.path : []));
  return [...new Set([...named, ...opened])].filter((path) => path !== "");
}

/** Larger files have no content here: a hook that looks for secrets can read the file by its path. */
const MOST_CONTENT = 1 << 20;

function contentOf(path: string): string {
  try {
    return statSync(path).size > MOST_CONTENT ? "" : readFileSync(path, "utf8");
  } catch {
    return ""; // The call itself reports what is wrong with the file.
  }
}

const textOf = ({ content }: ToolResult): string =>
  content.flatMap((part) => (part.kind === "text" ? part.text : [])).join("");

function responseOf({ access = [] }: OwnCall, { as, input }: ForeignCall, result: ToolResult): JsonObject {
  const { isError = false, changes = [] } = result;
  const content = textOf(result);
  const work = workOf(as);
  return {
    content,
    is_error: isError,
    changed: changes.map(({ path }) => path),
    touched: access.flatMap((item) => ("path" in item ? item.path : [])),
    ...(work === "shell" ? { stdout: content, stderr: "", interrupted: false } : {}),
    ...(work === "edit" || work === "write" ? { filePath: input["file_path"] ?? null, success: !isError } : {}),
  };
}
