// Streams that other tests decode, encoded again by every served format and read by the official client of that format.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { callIdOf } from "../../src/protocols/common/ids.ts";
import { servedFormats } from "../../src/serve/index.ts";
import type { AnswerContext, FormatName, ServedFormat } from "../../src/serve/types.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { Api } from "../../src/types/model.ts";
import type { Response as Answer } from "../../src/types/response.ts";

/** What a test decoded. */
export interface Recorded {
  readonly protocol: string;
  readonly events: readonly StreamEvent[];
  readonly response: Answer | undefined;
}

/** What a client can see of an answer, in one form for all. */
interface Seen {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  readonly isCut: boolean;
}

/** Call this last in a file: tests run in file order. */
export function servedAgain(recorded: readonly Recorded[]): void {
  it("AU-05 every stream of this file, encoded again, is the same message for the official clients", async () => {
    const problems: string[] = [];
    let checked = 0;
    // Some files decode hundreds of streams that differ in one character.
    const step = process.env["LATHE_LONG"] ? 1 : Math.ceil(recorded.length / 60);
    for (const [index, one] of recorded.entries()) {
      if (one.events.length === 0 || index % step !== 0) continue;
      for (const name of ["chat", "messages", "responses"] as const) {
        checked++;
        const problem = await difference(name, one);
        if (problem !== undefined) problems.push(`stream ${index} (${one.protocol}) as ${name}: ${problem}`);
      }
    }
    expect(problems).toEqual([]);
    expect(checked).toBeGreaterThan(3);
  });
}

async function difference(name: FormatName, one: Recorded): Promise<string | undefined> {
  const format = servedFormats.find((known) => known.name === name) as ServedFormat;
  const { response } = one;
  const encoder = format.encoder(contextFor(one));
  const pushed = one.events.map((event) => encoder.push(event)).join("");
  // Like a server whose upstream has just stopped.
  const streamed = pushed + encoder.fail({ kind: "overloaded", message: "The provider went away." });
  const read = await READERS[name]("stream", streamed).catch((reason: unknown) => reason as Error);
  const isBroken = one.events.at(-1)?.type !== "finish" || response?.finishReason.reason === "error" || restarts(one);
  if (isBroken) {
    return read instanceof Error ? undefined : "the client took a broken stream for an answer";
  }
  if (response === undefined) return "the stream ended without an answer";
  // The clients themselves give up on arguments that are not JSON.
  if (response.message.content.some((part) => part.kind === "tool_call" && part.toolCall.rawArguments !== undefined))
    return undefined;
  if (name !== "responses" && response.message.content.some(isFreeForm)) return undefined;
  const whole = await READERS[name]("whole", format.encoder(contextFor(one)).whole(response));
  const expected = expectedOf(response, name);
  return differs(expected, read, name === "chat") ?? differs(expected, whole, false);
}

const isFreeForm = (part: Answer["message"]["content"][number]): boolean =>
  part.kind === "tool_call" && part.toolCall.type === "custom";

/** Only after content was sent; before it, nothing has to be taken back. */
function restarts({ events }: Recorded): boolean {
  const at = events.findIndex(({ type }) => type === "stream_restart");
  return at >= 0 && events.slice(0, at).some(({ type }) => type !== "stream_start" && type !== "provider_event");
}

function differs(expected: Seen, read: Seen | Error, ignoresThinking: boolean): string | undefined {
  if (read instanceof Error) return `the client failed: ${read.message}`;
  // The client's own helper keeps only the last piece of a field that it does not know.
  const seen = ignoresThinking ? { ...read, thinking: expected.thinking } : read;
  const [a, b] = [JSON.stringify(expected), JSON.stringify(seen)];
  return a === b ? undefined : `${a} became ${b}`;
}

function expectedOf({ message, text, finishReason, toolCalls }: Answer, name: FormatName): Seen {
  const thoughts = message.content.flatMap((part) => (part.kind === "thinking" ? [part.thinking.text] : []));
  return {
    text,
    thinking: thoughts.join(""),
    calls: toolCalls.map((call) => ({
      id: callIdOf(call.id),
      name: call.name,
      arguments: isFreeFormCall(message, call.id) && name === "responses" ? call.arguments["input"] : call.arguments,
    })),
    isCut: finishReason.reason === "length" || finishReason.reason === "content_filter",
  };
}

const isFreeFormCall = (message: Answer["message"], id: string): boolean =>
  message.content.some(
    (part) => part.kind === "tool_call" && part.toolCall.id === id && part.toolCall.type === "custom",
  );

const APIS: Readonly<Record<string, Api>> = {
  "anthropic-messages": "anthropic-messages",
  "openai-responses": "openai-responses",
  "azure-openai-responses": "azure-openai-responses",
  "openai-completions": "openai-completions",
};

function contextFor({ protocol, events }: Recorded): AnswerContext {
  const api = APIS[protocol] ?? "google-generative-ai";
  const start = events.find((event) => event.type === "stream_start");
  const id = start?.model ?? "m";
  let ids = 0;
  const model = {
    id,
    provider: "p",
    displayName: id,
    contextWindow: 1,
    supportsTools: true,
    supportsVision: true,
    supportsReasoning: true,
    input: [],
    aliases: [],
  };
  return {
    served: { request: { model: id, messages: [] }, stream: true, wishes: { includeUsage: true }, dropped: [] },
    target: { provider: "p", api, model },
    now: () => 0,
    newId: () => `n${++ids}`,
  };
}

type Reader = (mode: "stream" | "whole", body: string) => Promise<Seen>;

const answering = (mode: "stream" | "whole", body: string) => async () =>
  new Response(body, { headers: { "content-type": mode === "stream" ? "text/event-stream" : "application/json" } });

const READERS: Readonly<Record<FormatName, Reader>> = {
  async chat(mode, body) {
    const client = new OpenAI({ apiKey: "k", maxRetries: 0, fetch: answering(mode, body) });
    const question = { model: "m", messages: [] };
    const completion =
      mode === "stream"
        ? await client.chat.completions.stream(question).finalChatCompletion()
        : await client.chat.completions.create(question);
    const choice = completion.choices[0]!;
    const message = choice.message as typeof choice.message & { reasoning_content?: string };
    return {
      text: message.content ?? "",
      thinking: message.reasoning_content ?? "",
      calls: (message.tool_calls ?? []).map((call) => ({
        id: call.id,
        name: call.type === "function" ? call.function.name : "",
        arguments: call.type === "function" ? (JSON.parse(call.function.arguments) as unknown) : "",
      })),
      isCut: ["length", "content_filter"].includes(choice.finish_reason),
    };
  },
  async messages(mode, body) {
    const client = new Anthropic({ apiKey: "k", authToken: null, maxRetries: 0, fetch: answering(mode, body) });
    const question = { model: "m", max_tokens: 1, messages: [] };
    const message =
      mode === "stream"
        ? await client.messages.stream(question).finalMessage()
        : await client.messages.create(question);
    return {
      text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      thinking: message.content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
      calls: message.content.flatMap((block) =>
        block.type === "tool_use" ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
      ),
      isCut: ["max_tokens", "refusal", "model_context_window_exceeded"].includes(message.stop_reason ?? ""),
    };
  },
  async responses(mode, body) {
    const client = new OpenAI({ apiKey: "k", maxRetries: 0, fetch: answering(mode, body) });
    const question = { model: "m", input: "x" };
    const response =
      mode === "stream"
        ? await client.responses.stream(question).finalResponse()
        : await client.responses.create(question);
    if (response.status === "failed") throw new Error(response.error?.message);
    return {
      text: response.output_text,
      thinking: response.output
        .map((item) => (item.type === "reasoning" ? item.summary.map(({ text }) => text).join("\n\n") : ""))
        .join(""),
      calls: response.output.flatMap((item): Seen["calls"] => {
        if (item.type === "function_call")
          return [{ id: item.call_id, name: item.name, arguments: JSON.parse(item.arguments) as unknown }];
        return item.type === "custom_tool_call" ? [{ id: item.call_id, name: item.name, arguments: item.input }] : [];
      }),
      isCut: response.status === "incomplete",
    };
  },
  stream: () => Promise.reject(new Error("no official client")),
};
