// Tools that live in the host: the model calls them here, the host runs them and sends the result back.

import { type ToolContent, type ToolDef, type ToolProvider, ToolRegistry, type ToolResult } from "@lathe/agent";
import type { JsonSchema, JsonValue } from "@lathe/llm";
import type { HostToolSpec } from "./commands.ts";
import type { HostToolResult, HostToolUpdate } from "./frames.ts";
import { Outstanding } from "./outstanding.ts";

export class HostTools implements ToolProvider {
  readonly #calls: Outstanding<HostToolResult, HostToolUpdate>;
  readonly #send: (frame: object) => void;
  #tools: readonly ToolDef[] = [];

  constructor(newId: () => string, send: (frame: object) => void) {
    this.#send = send;
    this.#calls = new Outstanding(newId, (targetId, id) => send({ type: "host_tool_cancel", id, targetId }));
  }

  tools(): readonly ToolDef[] {
    return this.#tools;
  }

  /** Replaces the whole set; nothing changes when one of them cannot be taken. */
  set(specs: readonly HostToolSpec[], taken: readonly string[]): string[] {
    const tools = specs.map((spec) => this.#toolOf(spec));
    const names = new ToolRegistry(tools).names();
    const clash = names.find((name) => taken.includes(name));
    if (clash !== undefined) throw new Error(`The agent already has a tool named "${clash}". Choose another name.`);
    if (names.length < specs.length) throw new Error("Two of these tools have the same name.");
    this.#tools = tools;
    return names;
  }

  update(frame: HostToolUpdate): void {
    this.#calls.update(frame.id, frame);
  }
  result(frame: HostToolResult): void {
    this.#calls.answer(frame.id, frame);
  }
  hostGone(): void {
    this.#calls.hostGone();
  }

  #toolOf(spec: HostToolSpec): ToolDef {
    return {
      name: spec.name,
      label: spec.label ?? spec.name,
      description: spec.description,
      schema: spec.parameters as JsonSchema,
      tier: spec.tier ?? "exec",
      replay: "never",
      ...(spec.exclusive ? { exclusive: true } : {}),
      execute: async (args, { callId, signal, onOutput }) => {
        const reply = await this.#calls.ask(
          (id) => {
            const call = { toolCallId: callId, toolName: spec.name, arguments: args };
            this.#send({ type: "host_tool_call", id, ...call });
          },
          { signal, onUpdate: (update) => onOutput(textOf(update.partialResult), "stdout") },
        );
        return resultOf(reply);
      },
    };
  }
}

function resultOf(reply: HostToolResult | undefined): ToolResult {
  if (!reply) throw new Error("the host did not answer");
  const { content, details } = reply.result;
  const parts = content.map(
    (block): ToolContent =>
      block.type === "text"
        ? { kind: "text", text: block.text }
        : { kind: "image", image: { data: Buffer.from(block.data, "base64"), mediaType: block.mediaType } },
  );
  return {
    content: parts,
    ...(details === undefined ? {} : { details: details as JsonValue }),
    isError: reply.isError ?? false,
  };
}

const textOf = ({ content }: HostToolUpdate["partialResult"]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");
