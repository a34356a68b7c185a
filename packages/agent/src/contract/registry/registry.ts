// The tools a profile or a session offers, by name and in a fixed order. Registering a name again replaces the tool
// and keeps its place, so the order that the model sees (part of the cached prefix) does not move.

import type { ToolDefinition } from "@lathe/llm";
import { SessionError } from "../session-error.ts";
import type { ToolDef } from "../tool.ts";
import { definitionOf, type SessionTool, toolDefOf } from "./host-tool.ts";

/** A tool as a registry holds it: what the model is sent, and what runs when it calls. */
export interface RegisteredTool {
  readonly definition: ToolDefinition;
  readonly executor: ToolDef["execute"];
  readonly tool: ToolDef;
  /** As it was registered. */
  readonly source: SessionTool;
}

/** Tools by name, in the order in which the model sees them. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  #version = 0;
  #definitions: readonly ToolDefinition[] | undefined;

  constructor(tools: Iterable<SessionTool> = []) {
    for (const tool of tools) this.register(tool);
  }

  /** Grows with every change; lets a session see cheaply that nothing happened. */
  get version(): number {
    return this.#version;
  }

  /** Throws for a name or schema that no vendor takes. A known name is replaced and keeps its place. */
  register(tool: SessionTool): void {
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

  /** False when there was no such tool. */
  unregister(name: string): boolean {
    const had = this.#tools.delete(name);
    if (had) this.#markChanged();
    return had;
  }

  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** As they are sent to the model; the same array until something changes. */
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
  if (tool.schema["type"] !== "object") {
    throw new SessionError("tool_name", `the schema of tool ${tool.name} must have the root type "object"`);
  }
}
