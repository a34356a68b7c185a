// Checks the options of a program, which may be written without types: a wrong value is refused with a clear message
// instead of failing deep inside or being ignored.

import { ToolRegistry } from "@lathe/agent";
import { PERMISSION_MODES } from "@lathe/agent/policy";
import { messageOf } from "@lathe/llm";
import { toolOfHost } from "../rpc/host-tools.ts";
import type { HostTool } from "../rpc-client/host-side.ts";
import type { AgentSessionOptions } from "./types.ts";

const TEXTS = [
  "cwd",
  "model",
  "apiKey",
  "baseUrl",
  "thinkingLevel",
  "session",
] as const satisfies readonly (keyof AgentSessionOptions)[];
/** Every option; the type keeps the list complete. */
const KNOWN: Readonly<Record<keyof AgentSessionOptions, true>> = {
  cwd: true,
  env: true,
  onNotice: true,
  model: true,
  apiKey: true,
  baseUrl: true,
  thinkingLevel: true,
  permissionMode: true,
  session: true,
  customTools: true,
  tools: true,
  systemPrompt: true,
  onUiRequest: true,
};
const TIERS = ["read", "write", "exec", "network"];

/** Throws a TypeError that names the option. */
export function checkOptions(options: AgentSessionOptions): void {
  must(isObject(options), "createAgentSession needs an object of options, or none");
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(KNOWN, name));
  must(
    unknown === undefined,
    `There is no option ${JSON.stringify(unknown)} of createAgentSession. There are: ${Object.keys(KNOWN).join(", ")}`,
  );
  for (const name of TEXTS)
    must(options[name] === undefined || typeof options[name] === "string", `${name} must be a text`);
  const { permissionMode, env, tools, customTools = [], systemPrompt, onUiRequest, onNotice } = options;
  mustBeOneOf("permissionMode", permissionMode, PERMISSION_MODES);
  must(env === undefined || isObject(env), "env must be an object of variables");
  must(tools === undefined || Array.isArray(tools), "tools must be a list of names");
  must(Array.isArray(customTools), "customTools must be a list");
  must(
    systemPrompt === undefined || typeof systemPrompt === "string" || isFunction(systemPrompt),
    "systemPrompt must be a text or a function",
  );
  must(onUiRequest === undefined || isFunction(onUiRequest), "onUiRequest must be a function");
  must(onNotice === undefined || isFunction(onNotice), "onNotice must be a function");
  checkTools(customTools);
}

function checkTools(tools: readonly HostTool[]): void {
  const offered = new ToolRegistry();
  for (const [at, tool] of tools.entries()) {
    must(isObject(tool), `customTools[${at}] must be an object`);
    const where = `customTools[${at}] ${JSON.stringify(tool.name)}`;
    must(isFunction(tool.execute), `${where}: execute must be a function`);
    mustBeOneOf(`${where}: tier`, tool.tier, TIERS);
    must(!offered.get(tool.name), `${where}: an earlier tool of this list has the same name`);
    try {
      offered.register(toolOfHost(tool, () => ""));
    } catch (error) {
      throw new TypeError(`${where}: ${messageOf(error)}`, { cause: error });
    }
  }
}

function must(holds: boolean, why: string): asserts holds {
  if (!holds) throw new TypeError(`${why}.`);
}

function mustBeOneOf(name: string, value: string | undefined, choices: readonly string[]): void {
  must(value === undefined || choices.includes(value), `${name} must be one of ${choices.join(", ")}`);
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const isFunction = (value: unknown): boolean => typeof value === "function";
