// The tools a profile or a session offers, by name and in a fixed order. Registering a name again replaces the tool
// and keeps its place, so the order that the model sees (part of the cached prefix) does not move.

import type { ImageData, JsonObject, JsonValue, ToolDefinition } from "@lathe/llm";
import type { ToolContent, ToolContext, ToolDef, ToolResult } from "../contract/tool.ts";
import type { ExecutionEnvironment } from "../env/types.ts";

export interface RegisteredTool {
  readonly definition: ToolDefinition;
  readonly executor: ToolDef["execute"];
  readonly tool: ToolDef;
}

/** A host's own tool in its shortest form. Runs as tier exec and is never replayed. */
export interface CustomTool {
  readonly definition: ToolDefinition;
  readonly executor: (args: JsonObject, context: ToolContext) => Promise<CustomResult> | CustomResult;
}
type CustomResult =
  | string
  | undefined
  | {
      readonly output: string;
      readonly details?: JsonValue;
      readonly images?: readonly ImageData[];
      readonly isError?: boolean;
    };

export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  #version = 0;
  #definitions: readonly ToolDefinition[] | undefined;

  constructor(tools: Iterable<ToolDef> = []) {
    for (const tool of tools) this.register(tool);
  }

  /** Grows with every change; lets a session see cheaply that nothing happened. */
  get version(): number {
    return this.#version;
  }

  register(tool: ToolDef | CustomTool): void {
    const def = "definition" in tool ? fromCustom(tool) : tool;
    checkDefinition(def);
    this.#tools.set(def.name, {
      definition: { name: def.name, description: def.description, parameters: def.schema },
      executor: (args, context) => def.execute(args, context),
      tool: def,
    });
    this.#changed();
  }

  unregister(name: string): boolean {
    const had = this.#tools.delete(name);
    if (had) this.#changed();
    return had;
  }

  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  definitions(): readonly ToolDefinition[] {
    this.#definitions ??= [...this.#tools.values()].map((registered) => registered.definition);
    return this.#definitions;
  }

  names(): string[] {
    return [...this.#tools.keys()];
  }

  #changed(): void {
    this.#version += 1;
    this.#definitions = undefined;
  }
}

/** Wraps a plain `(args, env) => string` function as a tool's executor. */
export function plainExecutor(
  run: (args: JsonObject, env: ExecutionEnvironment) => Promise<string> | string,
): CustomTool["executor"] {
  return (args, context) => run(args, context.env);
}

function fromCustom(custom: CustomTool): ToolDef {
  const { definition } = custom;
  return {
    name: definition.name,
    label: definition.name,
    description: definition.description,
    schema: definition.parameters,
    tier: "exec",
    replay: "never",
    async execute(args, context): Promise<ToolResult | string> {
      const result = await custom.executor(args, context);
      if (typeof result === "string") return result;
      // Done for its effect, and nothing to say about it.
      if (result === undefined) return "";
      if (typeof result?.output !== "string") throw new Error('it returned neither text nor an object with "output"');
      const content: ToolContent[] = [{ kind: "text", text: result.output }];
      for (const image of result.images ?? []) content.push({ kind: "image", image });
      return {
        content,
        ...(result.details === undefined ? {} : { details: result.details }),
        ...(result.isError === undefined ? {} : { isError: result.isError }),
      };
    },
  };
}

function checkDefinition(tool: ToolDef): void {
  if (!/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(tool.name)) {
    throw new Error(
      `tool name "${tool.name}" is not allowed: use a letter, then letters, digits, _ or -, 64 characters at most`,
    );
  }
  if (tool.schema["type"] !== "object") {
    throw new Error(`the schema of tool ${tool.name} must have the root type "object"`);
  }
}
