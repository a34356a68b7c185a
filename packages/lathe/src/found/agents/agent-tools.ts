// Which tools the word list of an agent's file means. Files that were written for other agents name those agents' tools.

import type { AgentType, Middleware } from "@lathe/agent";
import { namesOf } from "../../config/tool-names/tool-names.ts";

type Allows = NonNullable<AgentType["allows"]>;

/** Everything that only reads. */
const READING = "@read";
const LANGUAGE_SERVERS = "lsp";
/** Looks for pages and sends nothing but its words; the calls inside it have names of their own. */
const WEB_SEARCH = "web_search*";
/** Short names for the same work. */
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

/** Undefined: all. `spawns`: the tools for agents come with the right to start some. */
export function allowedTools(tools: readonly string[] | undefined, spawns: AgentType["spawns"]): Allows | undefined {
  if (!tools) return undefined;
  const words = new Set(tools.flatMap((word) => [word, ...(SHORT[word.toLowerCase()] ?? [])]));
  // What else they can reach is asked about by the call.
  if (words.has(READING)) for (const name of ["read", LANGUAGE_SERVERS, WEB_SEARCH, ...SHORT["read"]!]) words.add(name);
  return ({ name, tier, sessionOnly, feature, deferrable }) => {
    if (feature === "agents") return spawns !== undefined && spawns.length > 0;
    // What leaves a change pending does not only read.
    if (words.has(READING) && tier === "read" && !sessionOnly && !deferrable) return true;
    return namesOf(name).some((one) => words.has(one)) || [...words].some((word) => isPrefix(word, name));
  };
}

/** Of a tool that can read and write, an agent that only reads has what reads. */
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
