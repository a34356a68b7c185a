// Reads hooks that run commands in the formats of the agents: by event, with or without a matcher around a list of
// commands.

import { isJsonObject } from "@lathe/llm";
import { HOOK_EVENTS, hookEvent } from "./hook-events.ts";
import { matcherOf, searchOf } from "./hook-matcher.ts";
import type { Search } from "./search.ts";
import { readJson, type Structured } from "./structured.ts";
import type { HookValue, Level } from "./types.ts";

export interface HookFile {
  readonly path: string;
  readonly level: Level;
  /** The unit of a `timeout` without one. */
  readonly timeoutUnit: "seconds" | "milliseconds";
  /** Replaces the agent's own names for folders. */
  readonly resolve?: (text: string) => string;
  /** Folder of the plugin that the hooks belong to. */
  readonly root?: string;
  /** Where its commands run; defaults to the project's folder. */
  readonly cwd?: string;
}

/** Adds the hooks below the key `hooks` of a JSON file. */
export function hooksIn(search: Search<"hook">, file: HookFile): void {
  const read = readJson(search, file.path, file.level);
  if (read) addHooks(search, file, read);
}

export function addHooks(search: Search<"hook">, file: HookFile, read: Structured): void {
  if (read.value["disableAllHooks"] === true) return;
  addEvents(search, file, read, read.value["hooks"]);
}

/** Adds hooks that are grouped by event. */
export function addEvents(search: Search<"hook">, file: HookFile, read: Structured, hooks: unknown): void {
  if (!isJsonObject(hooks)) return;
  for (const [event, groups] of Object.entries(hooks)) {
    const line = (): number | undefined => read.lineOf(["hooks", event]);
    if (!Array.isArray(groups)) {
      search.warn(file.path, `the hooks of ${event} must be a list`, line());
      continue;
    }
    for (const group of groups) for (const hook of commandsIn(group)) addHook(search, file, { event, line, ...hook });
  }
}

interface Written {
  readonly matcher?: unknown;
  readonly command: Readonly<Record<string, unknown>>;
}

/** `{matcher, hooks: [{command}]}` or `{matcher, command}`. */
function commandsIn(group: unknown): readonly Written[] {
  if (!isJsonObject(group)) return [{ command: {} }];
  const { matcher, hooks } = group;
  if (!Array.isArray(hooks)) return [{ matcher, command: group }];
  return hooks.map((command) => ({ matcher, command: isJsonObject(command) ? command : {} }));
}

function addHook(
  search: Search<"hook">,
  { path, level, timeoutUnit, resolve = (text) => text, root, cwd }: HookFile,
  {
    event,
    line,
    matcher,
    command: written,
  }: Written & { readonly event: string; readonly line: () => number | undefined },
): void {
  const { type = "command", timeout, timeoutSec } = written;
  const shell = written["command"] ?? written["bash"];
  const command = typeof shell === "string" && shell !== "" ? resolve(shell) : undefined;
  const pattern = typeof matcher === "string" && matcher !== "" && matcher !== "*" ? matcher : undefined;
  const seconds = typeof timeoutSec === "number" ? timeoutSec : undefined;
  const wanted = seconds !== undefined ? seconds * 1000 : bareTimeout(timeout, timeoutUnit);
  const timeoutMs = wanted === undefined ? undefined : Math.min(wanted, LONGEST_TIMEOUT_MS);
  const problem =
    type === "command" ? hookProblem(event, pattern, command) : `hooks of the type ${type} are not supported`;
  const value: HookValue = {
    event,
    type: "command",
    ...(command === undefined ? {} : { command }),
    ...(pattern === undefined ? {} : { matcher: pattern }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(root === undefined ? {} : { root }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(written["async"] === true ? { runsAsync: true } : {}),
    ...(written["failClosed"] === true ? { failsClosed: true } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
  search.add(`${event}:${pattern ?? "*"}:${command ?? type}`, { level, path, line }, value);
}

/** Why a hook can never run, as far as its text shows. */
function hookProblem(event: string, pattern: string | undefined, command: string | undefined): string | undefined {
  if (command === undefined) return "it has no command";
  const meaning = hookEvent(event);
  if (!meaning) return `there is no event ${event} for hooks; there are ${HOOK_EVENTS.join(", ")}`;
  try {
    (meaning.only === undefined ? matcherOf : searchOf)(pattern);
    return undefined;
  } catch {
    return `the matcher ${JSON.stringify(pattern)} of ${event} is not a valid pattern`;
  }
}

/** One day. Timers take 24 days at most, and fire at once if given more. */
const LONGEST_TIMEOUT_MS = 24 * 60 * 60 * 1000;

function bareTimeout(timeout: unknown, unit: HookFile["timeoutUnit"]): number | undefined {
  if (typeof timeout !== "number" || !(timeout > 0)) return undefined;
  return unit === "seconds" ? timeout * 1000 : timeout;
}
