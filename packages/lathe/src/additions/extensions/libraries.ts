// What an extension gets when it imports our libraries: the copies that this process runs, so that `instanceof` holds
// on both sides and no extension brings a second session or client.

export type Libraries = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export async function runningLibraries(): Promise<Libraries> {
  return {
    "@lathe/agent": await import("@lathe/agent"),
    "@lathe/agent/agents": await import("@lathe/agent/agents"),
    "@lathe/agent/base": await import("@lathe/agent/base"),
    "@lathe/agent/context": await import("@lathe/agent/context"),
    "@lathe/agent/contract": await import("@lathe/agent/contract"),
    "@lathe/agent/files": await import("@lathe/agent/files"),
    "@lathe/agent/policy": await import("@lathe/agent/policy"),
    "@lathe/agent/record": await import("@lathe/agent/record"),
    "@lathe/agent/research": await import("@lathe/agent/research"),
    "@lathe/agent/session": await import("@lathe/agent/session"),
    "@lathe/agent/tools": await import("@lathe/agent/tools"),
    "@lathe/agent/verify": await import("@lathe/agent/verify"),
    "@lathe/agent/world": await import("@lathe/agent/world"),
    "@lathe/llm": await import("@lathe/llm"),
    "@lathe/llm/adapter-kit": await import("@lathe/llm/adapter-kit"),
    "@lathe/llm/fetch": await import("@lathe/llm/fetch"),
    "@lathe/llm/open": await import("@lathe/llm/open"),
    "@lathe/llm/providers": await import("@lathe/llm/providers"),
    "@lathe/llm/schema": await import("@lathe/llm/schema"),
    "@lathe/llm/serve": await import("@lathe/llm/serve"),
    // This module has only types.
    "lathe/extension": {},
  };
}
