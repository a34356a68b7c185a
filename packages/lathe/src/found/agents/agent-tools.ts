// Which tools the word list in an agent's file means. Files written for other agents use those agents' tool names.

import type { AgentType, Middleware } from "@lathe/agent";
import { namesOf } from "../../config/tool-names/tool-names.ts";

type Allows = NonNullable<AgentType["allows"]>;

/** Stands for everything that only reads. */
const READING = "@read";
const LANGUAGE_SERVERS = "lsp";
/** Finds pages and sends nothing but its query; the calls inside it have their own names. */
const WEB_SEARCH = "web_search*";
/** Short names for tools that do the same work. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  read: ["read_file", "read_many_files"],
  edit: ["edit_file"],
  write: ["write_file"],
  bash: ["shell"],
  exec: ["shell", "eval"],
  find: ["glob"],
  search: ["grep"],
  ls: ["list_dir"],
  fetch: ["web_fetch"],
};

export const SHORT_NAMES: readonly string[] = Object.keys(SHORT);

/** Undefined means all. `spawns`: the right to start agents brings the tools for it. */
export function allowedTools(tools: readonly string[] | undefined, spawns: AgentType["spawns"]): Allows | undefined {
  if (!tools) return undefined;
  const words = new Set(tools.flatMap((word) => [word, ...(SHORT[word.toLowerCase()] ?? [])]));
  // Whatever else these tools can reach is checked per call.
  if (words.has(READING)) for (const name of ["read", LANGUAGE_SERVERS, WEB_SEARCH, ...SHORT["read"]!]) words.add(name);
  return ({ name, tier, sessionOnly, feature, deferrable }) => {
    if (feature === "agents") return spawns !== undefined && spawns.length > 0;
    // A tool that leaves a change pending does more than read.
    if (words.has(READING) && tier === "read" && !sessionOnly && !deferrable) return true;
    return namesOf(name).some((one) => words.has(one)) || [...words].some((word) => isPrefix(word, name));
  };
}

/** An agent that only reads may only use the reading calls of a tool that can also write. */
export function readingGuard(tools: readonly string[] = []): readonly Middleware[] {
  if (!tools.includes(READING) || tools.includes(LANGUAGE_SERVERS)) return [];
  return [
    {
      name: "tools that read",
      beforeCall: ({ tool, tier }) =>
        tool.name === LANGUAGE_SERVERS && tier !== "read"
          ? { block: "This agent only reads: ask, do not change." }
          : undefined,
    },
  ];
}

const isPrefix = (word: string, name: string): boolean => word.endsWith("*") && name.startsWith(word.slice(0, -1));
