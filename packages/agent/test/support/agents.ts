// Scripts for a session with child agents: each conversation has its own, recognised by its first message.

import { type Request, textOf } from "@lathe/llm";
import type { AgentType } from "../../src/agents/subagents/types.ts";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { ChildHeader } from "../../src/contract/journal.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { closeAgentTool } from "../../src/tools/builtin/close-agent/index.ts";
import { sendInputTool } from "../../src/tools/builtin/send-input/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { taskTool } from "../../src/tools/builtin/task/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import type { ScriptedTurn } from "./scripted-client.ts";
import { echo, testDeps, testProfile } from "./session.ts";

export const explore: AgentType = { name: "explore", description: "Looks.", source: "bundled", prompt: "You look." };
export const builder: AgentType = { name: "task", description: "Works.", source: "bundled", prompt: "You work." };
export const types = async (): Promise<readonly AgentType[]> => [explore, builder];

export const agentProfile = (more: readonly ToolDef[] = []) =>
  testProfile([
    spawnAgentTool,
    sendInputTool,
    waitTool,
    closeAgentTool,
    echo,
    taskTool({ agents: [explore, builder] }),
    ...more,
  ] as unknown as ToolDef[]);

/** The first message of the conversation. */
export const firstText = (request: Request): string =>
  textOf(request.messages.find((message) => message.role === "user")!);
export const answersIn = (request: Request): number =>
  request.messages.filter((message) => message.role === "assistant").length;

export type Play = (request: Request) => ScriptedTurn;
/** Chosen by words in its first message; indexed by how many answers the conversation has had. */
export function cast(parts: Record<string, readonly (ScriptedTurn | Play)[] | Play>) {
  return (request: Request): ScriptedTurn => {
    const first = firstText(request);
    const key = Object.keys(parts).find((word) => first.includes(word));
    const script = key === undefined ? undefined : parts[key];
    const part = typeof script === "function" ? script : script?.[answersIn(request)];
    if (!part) throw new Error(`no part for ${first}, answer ${answersIn(request)}`);
    return typeof part === "function" ? part(request) : part;
  };
}

export const yields = (output: string, status?: "aborted"): ScriptedTurn => ({
  calls: [{ name: "yield", args: { output, ...(status ? { status } : {}) } }],
});
export const batch = (tasks: readonly object[], more: object = {}): ScriptedTurn => ({
  calls: [{ name: "task", args: { agent: "explore", context: "The goal.", tasks, ...more } as never, id: "t" }],
});

/** Journals of children that survive their sessions, like files. */
export function childJournals(deps = testDeps()) {
  const stores = new Map<string, MemoryStore>();
  const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
  const copyOf = (original: MemoryStore) => new MemoryStore(original.read(0, original.size));
  return {
    journalDeps,
    copyOf,
    journal: (header: ChildHeader): Journal => {
      const left = stores.get(header.agentId);
      if (!left) {
        const made = new MemoryStore();
        stores.set(header.agentId, made);
        return Journal.create({ id: deps.uuid(), ...header }, () => made, journalDeps);
      }
      const again = copyOf(left);
      stores.set(header.agentId, again);
      return Journal.open(again, journalDeps);
    },
  };
}
