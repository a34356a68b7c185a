// The tools that a profile or a session offers, by name and in a fixed order. Registering a name again replaces the
// tool in its position, so that the order the model sees (part of the cached prefix) does not change.

import type { ToolDefinition } from "@lathe/llm";
import { SessionError } from "../session-error.ts";
import type { ToolDef } from "../tool.ts";
import { isObject, wrongArgument } from "../wrong-argument.ts";
import { definitionOf, type SessionTool, toolDefOf } from "./host-tool.ts";

/** A tool as a registry holds it: the definition for the model and the code that runs. */
export interface RegisteredTool {
  readonly definition: ToolDefinition;
  readonly executor: ToolDef["execute"];
  readonly tool: ToolDef;
  /** The tool as it was registered. */
  readonly source: SessionTool;
}

/** Tools by name, in the order that the model sees. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  #version = 0;
  #definitions: readonly ToolDefinition[] | undefined;

  constructor(tools: Iterable<SessionTool> = []) {
    for (const tool of tools) this.register(tool);
  }

  /** Grows with every change, so that a session can cheaply detect that nothing changed. */
  get version(): number {
    return this.#version;
  }

  /** Throws if no vendor accepts the name or schema. A known name is replaced and keeps its position. */
  register(tool: SessionTool): void {
    if (!isObject(tool)) throw new SessionError("tool_name", wrongArgument("a tool", "an object", tool).message);
    const def = toolDefOf(tool);
    checkDefinition(def);
    this.#tools.set(def.name, {
      definition: definitionOf(tool),
      executor: (args, context) => def.execute(args, context),
      tool: def,
      source: tool,
    });
    this.#markChanged();
  }

  /** Returns false if there was no such tool. */
  unregister(name: string): boolean {
    const had = this.#tools.delete(name);
    if (had) this.#markChanged();
    return had;
  }

  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** The definitions as sent to the model; the same array until something changes. */
  definitions(): readonly ToolDefinition[] {
    this.#definitions ??= [...this.#tools.values()]
      .filter(({ tool }) => !tool.hidden)
      .map(({ definition }) => definition);
    return this.#definitions;
  }

  tools(): ToolDef[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  names(): string[] {
    return [...this.#tools.keys()];
  }

  #markChanged(): void {
    this.#version += 1;
    this.#definitions = undefined;
  }
}

function checkDefinition(tool: ToolDef): void {
  if (!/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(tool.name)) {
    throw new SessionError(
      "tool_name",
      `tool name "${tool.name}" is not allowed: use a letter, then letters, digits, _ or -, 64 characters at most`,
    );
  }
  if (!isObject(tool.schema) || tool.schema["type"] !== "object") {
    throw new SessionError("tool_name", `the schema of tool ${tool.name} must have the root type "object"`);
  }
  if (typeof tool.execute !== "function")
    throw new SessionError(
      "tool_name",
      wrongArgument(`execute of tool ${tool.name}`, "a function", tool.execute).message,
    );
}
