// The leak guard as middleware: a polluted call never reaches the caller in a runnable form. The model gets the usual
// answer to an invalid call, whose text asks for clean arguments.

import type { ClientMiddleware } from "../middleware/compose.ts";
import { makeResponse } from "../stream/response.ts";
import type { StreamEvent, StreamedToolCall } from "../types/events.ts";
import type { JsonValue } from "../types/json.ts";
import type { ContentPart, ToolCallData } from "../types/message.ts";
import type { Request } from "../types/request.ts";
import type { Response } from "../types/response.ts";
import { findLeak } from "./detect.ts";

/** What to do about leaked control tokens. */
export interface HarmonyGuardOptions {
  readonly enabled?: boolean | undefined;
  readonly providers?: RegExp | undefined;
  readonly models?: RegExp | undefined;
  /**
   * For tools with line-oriented free-form input that opt in: returns the part that can still be trusted, given the
   * text before the leak. Arguments with a schema are never repaired.
   */
  readonly salvage?: ((toolName: string, clean: string) => string | undefined) | undefined;
}

/** Middleware against answers in which a model leaks the control tokens of its chat format. */
export function harmonyGuard(options: HarmonyGuardOptions = {}): ClientMiddleware {
  const { enabled = true, providers = /^(openai|azure-openai)/, models = /^gpt-5/ } = options;
  if (!enabled) return {};
  const concerns = (request: Request) => providers.test(request.provider ?? "") && models.test(request.model);
  return {
    async complete(request, next) {
      const response = await next(request);
      return concerns(request) ? cleanResponse(response, options) : response;
    },
    stream(request, next) {
      const events = next(request);
      return concerns(request) ? cleanEvents(events, options) : events;
    },
  };
}

async function* cleanEvents(
  events: AsyncIterable<StreamEvent>,
  options: HarmonyGuardOptions,
): AsyncGenerator<StreamEvent> {
  for await (const event of events) {
    if (event.type === "tool_call_end") yield { ...event, toolCall: cleanStreamed(event.toolCall, options) };
    else if (event.type === "finish") yield { ...event, response: cleanResponse(event.response, options) };
    else if (event.type === "error" && event.partial)
      yield { ...event, partial: cleanResponse(event.partial, options) };
    else yield event;
  }
}

function cleanResponse(response: Response, options: HarmonyGuardOptions): Response {
  let dirty = false;
  const content = response.message.content.map((part): ContentPart => {
    if (part.kind !== "tool_call") return part;
    const toolCall = cleanCall(part.toolCall, options);
    dirty ||= toolCall !== part.toolCall;
    return toolCall === part.toolCall ? part : { kind: "tool_call", toolCall };
  });
  if (!dirty) return response;
  const { text: _, toolCalls: __, reasoning: ___, ...rest } = response;
  return makeResponse({
    ...rest,
    message: { ...response.message, content },
    warnings: [
      ...response.warnings,
      { code: "harmony_leak", message: "Leaked routing text was found in tool arguments; the call was made invalid" },
    ],
  });
}

function cleanCall(call: ToolCallData, options: HarmonyGuardOptions): ToolCallData {
  const { arguments: args, rawArguments } = call;
  if (typeof args === "string") {
    const at = findLeak(args);
    if (at === undefined) return call;
    const saved = options.salvage?.(call.name, args.slice(0, at));
    return saved === undefined ? withholdCall(call) : { ...call, arguments: saved };
  }
  const polluted = rawArguments === undefined ? holdsLeak(args) : findLeak(rawArguments) !== undefined;
  return polluted ? withholdCall(call) : call;
}

/** An invalid call with the same id. Without its origin, because the vendor's item had another form. */
function withholdCall({ id, name }: ToolCallData): ToolCallData {
  return { id, name, type: "function", arguments: {}, rawArguments: note };
}

const note = "withheld: leaked routing text; send the call again with clean arguments";

function cleanStreamed(call: StreamedToolCall, options: HarmonyGuardOptions): StreamedToolCall {
  const { id, name, type, rawArguments } = call;
  const data = { id, name, type, arguments: type === "custom" ? rawArguments : call.arguments };
  const cleaned = cleanCall(data, options);
  if (cleaned === data) return call;
  const text = typeof cleaned.arguments === "string" ? cleaned.arguments : note;
  return { id, name, type: cleaned.type, rawArguments: text, arguments: type === cleaned.type ? { input: text } : {} };
}

/** Checks the decoded texts, because raw JSON may contain the foreign letters as escapes. */
function holdsLeak(value: JsonValue): boolean {
  if (typeof value === "string") return findLeak(value) !== undefined;
  if (Array.isArray(value)) return value.some(holdsLeak);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsLeak);
}
