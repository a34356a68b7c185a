// The names of the memory tools. `recall` alone is a tool of the session itself.

const RECALL = "memory_recall";
const REFLECT = "memory_reflect";
const RETAIN = "memory_retain";
const EDIT = "memory_edit";

export const MEMORY_TOOLS = { recall: RECALL, reflect: REFLECT, retain: RETAIN, edit: EDIT } as const;

const ALL: ReadonlySet<string> = new Set(Object.values(MEMORY_TOOLS));

export const isMemoryTool = (name: string): boolean => ALL.has(name);
