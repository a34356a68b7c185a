// The client side for tests over real sockets: adapters with their own environment, and the two-round tool talk.

import type { ModelServer } from "@lathe/testkit";
import { expect } from "vitest";
import { defaultDeps } from "../../src/deps.ts";
import type { ClientDeps, ProviderAdapter } from "../../src/types/adapter.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import { Message } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import type { Response } from "../../src/types/response.ts";

export const depsWith = (env: Record<string, string>): ClientDeps => defaultDeps({ env });

export const weather: ToolDefinition = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

export async function streamed(adapter: ProviderAdapter, request: Request): Promise<Response> {
  let last: StreamEvent | undefined;
  for await (const event of adapter.stream(request, {})) last = event;
  if (last?.type !== "finish") throw last?.type === "error" ? last.error : new Error(`ended with ${last?.type}`);
  return last.response;
}

/** Question, calls, results, answer: the strict server must accept the second request. */
export async function toolRound(adapter: ProviderAdapter, model: string, server: ModelServer) {
  const messages: Message[] = [Message.system("Be brief."), Message.user("weather in Rome and Oslo?")];
  const first = await streamed(adapter, { model, messages, tools: [weather] });
  expect(first.finishReason.reason).toBe("tool_calls");
  messages.push(
    first.message,
    ...first.toolCalls.map((call) =>
      Message.toolResult({ toolCallId: call.id, content: `sun in ${call.arguments["city"]}` }),
    ),
  );
  const second = await streamed(adapter, { model, messages, tools: [weather] });
  expect(server.requests.filter(({ refused }) => refused !== undefined).map(({ refused }) => refused)).toEqual([]);
  return { first, second };
}
