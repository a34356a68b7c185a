// Turns the providers of extensions into what the model client knows: entries like those of models.yml, and adapters
// that call an extension's code.

import {
  type CallContext,
  type JsonObject,
  type Message,
  messageOf,
  type ProviderAdapter,
  type ProviderConfig,
  type Request,
  type Response,
  type StreamEvent,
  type ToolCallPart,
  textOf,
  type Usage,
} from "@lathe/llm";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type {
  ExtensionProvider,
  ExtensionRequest,
  ExtensionRequestMessage,
} from "../../platform/extension-api/index.ts";
import type { RunningExtension } from "./running.ts";

const WINDOW = 128_000;
const MOST_OUTPUT = 8_192;
/** The placeholder address of a provider that the extension itself implements; nothing is sent there. */
const NOWHERE = "http://127.0.0.1:9";

/** Adds the models of all extensions to the workspace. Returns one line for each problem. */
export async function offerProviders(
  workspace: SessionWorkspace,
  extensions: readonly RunningExtension[],
): Promise<readonly string[]> {
  const all = extensions.flatMap((extension) =>
    [...extension.added.providers].map(([name, provider]) => ({ extension, name, provider })),
  );
  if (all.length === 0) return [];
  const configs = Object.fromEntries(all.map(({ name, provider }) => [name, configOf(provider)]));
  const adapters = Object.fromEntries(
    all.flatMap(({ extension, name, provider }) =>
      provider.stream === undefined ? [] : [[name, adapterOf(extension, name, provider)]],
    ),
  );
  const problems = (await workspace.models()).addProviders(configs, adapters);
  return problems.map((problem) => `The providers of extensions are left out: ${problem}`);
}

function configOf({
  baseUrl = NOWHERE,
  api = "openai-completions",
  apiKey,
  models,
}: ExtensionProvider): ProviderConfig {
  return {
    baseUrl,
    api: api as NonNullable<ProviderConfig["api"]>,
    ...(apiKey === undefined ? { auth: "none" as const } : { apiKey }),
    models: models.map(({ id, name = id, contextWindow = WINDOW, maxTokens = MOST_OUTPUT }) => ({
      id,
      name,
      contextWindow,
      maxTokens,
    })),
  } as ProviderConfig;
}

function adapterOf(extension: RunningExtension, name: string, provider: ExtensionProvider): ProviderAdapter {
  const stream = (request: Request, context: CallContext): AsyncIterable<StreamEvent> =>
    streamAnswer(extension, name, provider, request, context);
  return {
    name,
    stream,
    complete: async (request, context) => {
      for await (const event of stream(request, context))
        if (event.type === "finish" && event.response) return event.response;
      throw new Error(`the extension ${extension.name} gave no answer`);
    },
  };
}

async function* streamAnswer(
  extension: RunningExtension,
  name: string,
  provider: ExtensionProvider,
  request: Request,
  { signal }: CallContext,
): AsyncGenerator<StreamEvent, void, undefined> {
  const id = `${name}-${request.messages.length}`;
  const calls: ToolCallPart[] = [];
  let text = "";
  let usage: Usage | undefined;
  yield { type: "stream_start", id, model: request.model };
  const parts = extension
    .callNow(`stream of ${name}`, () => provider.stream?.(requestOf(request, signal)))
    ?.[Symbol.asyncIterator]();
  if (!parts) throw new Error(`stream of the extension ${extension.name} gave nothing`);
  for (;;) {
    signal?.throwIfAborted();
    const next = await extension
      .callUnlimited(() => parts.next())
      .catch((error: unknown) => {
        throw new Error(`The extension ${extension.name} failed in stream: ${messageOf(error)}`);
      });
    if (next.done) break;
    const part = next.value;
    if (typeof part === "string") {
      if (text === "") yield { type: "text_start", textId: "0" };
      text += part;
      yield { type: "text_delta", textId: "0", delta: part };
    } else if ("usage" in part) {
      const { input, output } = part.usage;
      usage = { inputTokens: input, outputTokens: output, totalTokens: input + output };
    } else {
      const call = {
        id: part.call.id ?? `${id}-${calls.length}`,
        name: part.call.name,
        arguments: part.call.input as JsonObject,
      };
      calls.push({ kind: "tool_call", toolCall: { ...call, type: "function" } });
    }
  }
  if (text !== "") yield { type: "text_end", textId: "0", text };
  for (const [i, { toolCall }] of calls.entries()) {
    const raw = JSON.stringify(toolCall.arguments);
    const whole = {
      ...toolCall,
      type: "function" as const,
      rawArguments: raw,
      arguments: toolCall.arguments as JsonObject,
    };
    const callKey = String(i + 1);
    yield { type: "tool_call_start", callKey, toolCall: { ...whole, rawArguments: "", arguments: {} } };
    yield { type: "tool_call_delta", callKey, toolCall: whole, delta: raw };
    yield { type: "tool_call_end", callKey, toolCall: whole };
  }
  const response = responseOf(request, { id, name, text, calls, usage: usage ?? guessUsage(request, text) });
  yield { type: "finish", finishReason: response.finishReason, usage: response.usage, response };
}

function requestOf(request: Request, signal: AbortSignal | undefined): ExtensionRequest {
  const system = request.messages.filter(({ role }) => role === "system").map(textOf);
  return {
    model: request.model,
    system: system.join("\n\n"),
    messages: request.messages.filter(({ role }) => role !== "system").flatMap(messagesOf),
    tools: (request.tools ?? []).map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters as object,
    })),
    signal: signal ?? new AbortController().signal,
  };
}

function messagesOf(message: Message): ExtensionRequestMessage[] {
  const text = textOf(message);
  const results = message.content.flatMap((part) => (part.kind === "tool_result" ? [part.toolResult] : []));
  if (results.length > 0)
    return results.map(({ toolCallId, content }) => ({
      role: "tool",
      callId: toolCallId,
      text: typeof content === "string" ? content : JSON.stringify(content),
    }));
  const calls = message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall] : []));
  if (message.role !== "assistant") return [{ role: "user", text }];
  const made = calls.map(({ id, name, arguments: input }) => ({ id, name, input: input as object }));
  return [{ role: "assistant", text, ...(made.length === 0 ? {} : { calls: made }) }];
}

interface Answer {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly calls: readonly ToolCallPart[];
  readonly usage: Usage;
}

function responseOf(request: Request, { id, name, text, calls, usage }: Answer): Response {
  return {
    id,
    model: request.model,
    provider: name,
    message: { role: "assistant", content: [...(text === "" ? [] : [{ kind: "text" as const, text }]), ...calls] },
    finishReason: { reason: calls.length > 0 ? "tool_calls" : "stop" },
    usage,
    warnings: [],
    text,
    toolCalls: calls.map(({ toolCall }) => ({
      id: toolCall.id,
      name: toolCall.name,
      arguments: toolCall.arguments as JsonObject,
    })),
  };
}

function guessUsage({ messages }: Request, text: string): Usage {
  const inputTokens = Math.ceil(messages.reduce((sum, message) => sum + textOf(message).length, 0) / 4);
  const outputTokens = Math.ceil(text.length / 4);
  const estimated = ["inputTokens", "outputTokens"] as const;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated };
}
