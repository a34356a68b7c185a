// The memory tools as the model sees them; the backend decides where memories are stored.

import type { ToolDef } from "@lathe/agent";
import { type Access, type CallScope, type Card, type CardResult, ToolFailure } from "@lathe/agent/contract";
import { fileAccess } from "@lathe/agent/tools";
import { choice, flag, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { MemoryBackend } from "./backend.ts";
import editing from "./memory-edit.md";
import recalling from "./memory-recall.md";
import reflecting from "./memory-reflect.md";
import retaining from "./memory-retain.md";
import { MEMORY_TOOLS } from "./tool-names.ts";

export interface MemoryToolsParts {
  /** Opened with the first call. */
  readonly backend: () => Promise<MemoryBackend>;
  /** Additional access of every call, such as the server's host. */
  readonly access: readonly Access[];
  readonly timeoutMs: number;
}

const queryParams = { query: text() };
const reflectParams = { query: text(), context: optional(text("What the answer is for")) };
const retainParams = {
  text: text("One statement"),
  files: optional(listOf(text(), { description: "Files that show it" })),
  shared: optional(flag("For all projects")),
};
const editParams = {
  id: integer({ minimum: 1 }),
  op: choice(["update", "forget"]),
  text: optional(text("The statement as it is now")),
  files: optional(listOf(text(), { description: "Files that show it" })),
};

export const memoryTools = (parts: MemoryToolsParts): readonly ToolDef[] => [
  recallTool(parts) as unknown as ToolDef,
  reflectTool(parts) as unknown as ToolDef,
  retainTool(parts) as unknown as ToolDef,
  editTool(parts) as unknown as ToolDef,
];

const recallTool = ({ backend, access, timeoutMs }: MemoryToolsParts): ToolDef<StaticFields<typeof queryParams>> => ({
  name: MEMORY_TOOLS.recall,
  label: "Recall memories",
  description: recalling.trim(),
  schema: object(queryParams),
  tier: "read",
  replay: "safe",
  timeoutMs,
  access: () => access,
  summary: ({ query }) => query,
  card: ({ query }, result) => cardOf(["Recalling", "Recalled", "Recall"], query, result),
  execute: async ({ query }, { signal }) => (await backend()).recall(requireQuery(query), signal),
});

const reflectTool = ({
  backend,
  access,
  timeoutMs,
}: MemoryToolsParts): ToolDef<StaticFields<typeof reflectParams>> => ({
  name: MEMORY_TOOLS.reflect,
  label: "Reflect on memories",
  description: reflecting.trim(),
  schema: object(reflectParams),
  tier: "read",
  replay: "safe",
  timeoutMs,
  access: () => access,
  summary: ({ query }) => query,
  card: ({ query }, result) => cardOf(["Reflecting", "Reflected", "Reflect"], query, result),
  execute: async ({ query, context = "" }, { signal }) =>
    (await backend()).reflect(requireQuery(query), context, signal),
});

const retainTool = ({ backend, access, timeoutMs }: MemoryToolsParts): ToolDef<StaticFields<typeof retainParams>> => ({
  name: MEMORY_TOOLS.retain,
  label: "Retain a memory",
  description: retaining.trim(),
  schema: object(retainParams),
  tier: "read",
  // The same text is stored only once.
  replay: "safe",
  exclusive: true,
  timeoutMs,
  access: async ({ files = [] }, scope) => [...access, ...(await filesRead(files, scope))],
  summary: ({ text: what }) => what,
  card: ({ text: what }, result) => cardOf(["Retaining", "Retained", "Retain"], what, result),
  execute: async ({ text: what, files = [], shared = false }, { signal }) =>
    (await backend()).retain({ text: what, files, isShared: shared }, signal),
});

const editTool = ({ backend, access, timeoutMs }: MemoryToolsParts): ToolDef<StaticFields<typeof editParams>> => ({
  name: MEMORY_TOOLS.edit,
  label: "Change a memory",
  description: editing.trim(),
  schema: object(editParams),
  tier: "read",
  replay: "never",
  exclusive: true,
  timeoutMs,
  access: async ({ files = [] }, scope) => [...access, ...(await filesRead(files, scope))],
  summary: ({ op, id }) => `${op} ${id}`,
  card: ({ op, id, text: what }, result) =>
    cardOf(
      op === "forget" ? ["Forgetting", "Forgot", "Forget"] : ["Updating", "Updated", "Update"],
      what ?? `memory ${id}`,
      result,
    ),
  execute: async ({ op, id, text: what, files = [] }, { signal }) => {
    if (op === "update" && what === undefined)
      throw new ToolFailure("update needs `text`: the statement as it is now.");
    return (await backend()).edit(
      { id, files, ...(op === "update" && what !== undefined ? { text: what } : {}) },
      signal,
    );
  },
});

function requireQuery(query: string): string {
  if (query.trim() !== "") return query;
  throw new ToolFailure("Give `query`: what you want to know, in a few words.");
}

const filesRead = (files: readonly string[], scope: CallScope): Promise<Access[]> => fileAccess("read", files, scope);

type Verbs = readonly [running: string, done: string, failed: string];

const cardOf = ([running, done, failed]: Verbs, subject: string, result: CardResult | undefined): Card => ({
  verb: result === undefined ? running : result.isError ? failed : done,
  subject,
});
