// Tools that the host provides: the model calls them here, the host runs them and sends the result back.

import { type ToolContent, type ToolDef, type ToolProvider, ToolRegistry, type ToolResult } from "@lathe/agent";
import { type JsonSchema, type JsonValue, messageOf } from "@lathe/llm";
import type { CommandData, HostToolSpec } from "./commands.ts";
import type { HostToolResult, HostToolUpdate } from "./frames.ts";
import { HostRequests } from "./host-requests.ts";

export class HostTools implements ToolProvider {
  readonly #calls: HostRequests<HostToolResult, HostToolUpdate>;
  readonly #send: (frame: object) => void;
  #tools: readonly ToolDef[] = [];

  constructor(newId: () => string, send: (frame: object) => void) {
    this.#send = send;
    this.#calls = new HostRequests(newId, (targetId, id) => send({ type: "host_tool_cancel", id, targetId }));
  }

  tools(): readonly ToolDef[] {
    return this.#tools;
  }

  /** Replaces the whole set. Tools that cannot be offered are returned with the reason. */
  set(specs: readonly HostToolSpec[], taken: readonly string[]): CommandData<"set_host_tools"> {
    const tools: ToolDef[] = [];
    const offered = new ToolRegistry();
    const refused: { name: string; reason: string }[] = [];
    for (const spec of specs) {
      const tool = this.#toolOf(spec);
      try {
        if (taken.includes(spec.name)) throw new Error("the agent already has a tool with that name; choose another");
        if (offered.get(spec.name)) throw new Error("an earlier tool of this list has the same name");
        offered.register(tool);
        tools.push(tool);
      } catch (error) {
        refused.push({ name: spec.name, reason: messageOf(error) });
      }
    }
    this.#tools = tools;
    return { toolNames: offered.names(), ...(refused.length === 0 ? {} : { refused }) };
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
    return toolOfHost(spec, async (args, { callId, signal, onOutput }) => {
      const reply = await this.#calls.ask(
        (id) => {
          const call = { toolCallId: callId, toolName: spec.name, arguments: args };
          this.#send({ type: "host_tool_call", id, ...call });
        },
        { signal, onUpdate: (update) => onOutput(updateText(update.partialResult), "stdout") },
      );
      return resultOf(reply);
    });
  }
}

/** A tool that a host describes, wherever it runs. */
export const toolOfHost = (spec: HostToolSpec, execute: ToolDef["execute"]): ToolDef => ({
  name: spec.name,
  label: spec.label ?? spec.name,
  description: spec.description,
  schema: spec.parameters as JsonSchema,
  tier: spec.tier ?? "exec",
  replay: "never",
  ...(spec.exclusive ? { exclusive: true } : {}),
  execute,
});

function resultOf(reply: HostToolResult | undefined): ToolResult {
  if (!reply) throw new Error("the host did not answer");
  const { content, details } = reply.result;
  return {
    content: content.map(contentOf),
    ...(details === undefined ? {} : { details: details as JsonValue }),
    isError: reply.isError ?? false,
  };
}

/** Converts the output of a host's tool for the model. */
export const contentOf = (block: HostToolResult["result"]["content"][number]): ToolContent =>
  block.type === "text"
    ? { kind: "text", text: block.text }
    : { kind: "image", image: { data: Buffer.from(block.data, "base64"), mediaType: block.mediaType } };

const updateText = ({ content }: HostToolUpdate["partialResult"]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");
