// OpenAI Responses: how a turn and an error look on the wire.

import { type Dialect, deltas, type ResolvedBlock, type ResolvedTurn } from "../../dialect.ts";
import type { RecordedRequest } from "../../record.ts";
import { serialPart } from "../../resolve.ts";
import type { ScriptedUsage } from "../../turn.ts";
import type { StreamPart } from "../../wire.ts";
import { bearer, header } from "../http.ts";
import { openaiDenied, openaiError, openaiStreamErrors } from "../openai-errors.ts";
import { objects } from "../refuse.ts";
import { isCompaction, validate } from "./validate.ts";

export const responses: Dialect = {
  name: "responses",
  defaultModel: "gpt-5.2",
  framing: () => "sse",
  credential: (request) => bearer(request) ?? header(request, "api-key"),
  denial: openaiDenied,
  validate,
  complete: (turn, request) =>
    isCompaction(request) ? compactionResponse(turn, request) : finalResponse(turn, items(turn), request),
  stream,
  count: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  error: (status, options) => openaiError(status, options),
  streamError: (kind, message) => {
    const error = openaiStreamErrors[kind];
    return {
      event: "response.failed",
      data: {
        type: "response.failed",
        sequence_number: 99,
        response: {
          object: "response",
          status: "failed",
          error: { code: error.code, message: message ?? error.message },
          output: [],
        },
      },
    };
  },
};

/** The user's messages unchanged, plus one item for everything else: the turn's text, as if it were encrypted. */
function compactionResponse(turn: ResolvedTurn, request: RecordedRequest): object {
  const said = objects(request.body?.["input"]).filter(({ role }) => role === "user");
  const words = turn.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  return {
    id: responseId(turn),
    object: "response.compaction",
    created_at: 1_735_689_600,
    output: [...said, { id: `cmp_${serialPart(turn.serial)}`, type: "compaction", encrypted_content: words }],
    usage: usage(turn.usage) ?? null,
  };
}

type Item = { readonly id: string; readonly type: string };

function responseId(turn: ResolvedTurn): string {
  return turn.id ?? `resp_${serialPart(turn.serial)}`;
}

function envelope(turn: ResolvedTurn, request: RecordedRequest) {
  const body = request.body;
  return {
    id: responseId(turn),
    object: "response",
    created_at: 1_735_689_600,
    model: turn.model,
    instructions: body?.instructions ?? null,
    metadata: body?.metadata ?? {},
    parallel_tool_calls: body?.parallel_tool_calls ?? true,
    temperature: body?.temperature ?? 1,
    top_p: body?.top_p ?? 1,
    tool_choice: body?.tool_choice ?? "auto",
    tools: body?.tools ?? [],
    reasoning: body?.reasoning ?? null,
    store: body?.store ?? true,
    previous_response_id: null,
    max_output_tokens: body?.max_output_tokens ?? null,
  };
}

function finalResponse(turn: ResolvedTurn, output: readonly Item[], request: RecordedRequest) {
  return {
    ...envelope(turn, request),
    status: statusOf(turn),
    error: null,
    incomplete_details: incomplete(turn),
    output,
    usage: usage(turn.usage) ?? null,
  };
}

function statusOf(turn: ResolvedTurn): string {
  return turn.rawStop ?? (incomplete(turn) ? "incomplete" : "completed");
}

function incomplete(turn: ResolvedTurn): { reason: string } | null {
  if (turn.stop === "length") return { reason: "max_output_tokens" };
  return turn.stop === "content_filter" ? { reason: "content_filter" } : null;
}

function usage(numbers: ScriptedUsage | undefined) {
  if (!numbers) return undefined;
  return {
    input_tokens: numbers.input,
    input_tokens_details: { cached_tokens: numbers.cacheRead ?? 0 },
    output_tokens: numbers.output,
    output_tokens_details: { reasoning_tokens: numbers.reasoning ?? 0 },
    total_tokens: numbers.input + numbers.output,
  };
}

function items(turn: ResolvedTurn): Item[] {
  return turn.blocks.map((block, i) => outputItem(block, itemId(block, turn, i)));
}

function itemId(block: ResolvedBlock, turn: ResolvedTurn, position: number): string {
  const prefix = { text: "msg", thinking: "rs", call: "fc" }[block.type];
  return `${prefix}_${serialPart(turn.serial)}${position}`;
}

function outputItem(block: ResolvedBlock, id: string): Item {
  switch (block.type) {
    case "text":
      return { id, type: "message", status: "completed", role: "assistant", content: [outputText(block.text)] } as Item;
    case "thinking": {
      const summary = block.redacted || block.text === "" ? [] : [{ type: "summary_text", text: block.text }];
      return { id, type: "reasoning", summary, encrypted_content: block.signature } as Item;
    }
    case "call":
      return {
        id,
        type: "function_call",
        status: "completed",
        call_id: block.id,
        name: block.name,
        arguments: block.rawArgs,
      } as Item;
  }
}

function outputText(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function stream(turn: ResolvedTurn, request: RecordedRequest): StreamPart[] {
  const running = {
    ...envelope(turn, request),
    status: "in_progress",
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const status = statusOf(turn);
  const last = ["completed", "incomplete", "failed"].includes(status) ? status : "completed";
  const parts = [
    event("response.created", { response: running }),
    event("response.in_progress", { response: running }),
    ...turn.blocks.flatMap((block, i) => streamItem(block, itemId(block, turn, i), i, turn.deltaChars)),
    { ...event(`response.${last}`, { response: finalResponse(turn, items(turn), request) }), terminal: true },
  ];
  return parts.map((part, i) => ({ ...part, data: { ...(part.data as object), sequence_number: i } }));
}

function event(type: string, fields: object): StreamPart {
  return { event: type, data: { type, ...fields } };
}

function streamItem(block: ResolvedBlock, id: string, index: number, size: number): StreamPart[] {
  const whole = outputItem(block, id);
  return [
    event("response.output_item.added", { output_index: index, item: openingItem(whole) }),
    ...innerEvents(block, { item_id: id, output_index: index }, size),
    event("response.output_item.done", { output_index: index, item: whole }),
  ];
}

function openingItem(item: Item): object {
  if (item.type === "message") return { ...item, status: "in_progress", content: [] };
  if (item.type === "reasoning") return { ...item, summary: [] };
  return { ...item, status: "in_progress", arguments: "" };
}

function innerEvents(
  block: ResolvedBlock,
  place: { item_id: string; output_index: number },
  size: number,
): StreamPart[] {
  switch (block.type) {
    case "text": {
      const at = { ...place, content_index: 0 };
      return [
        event("response.content_part.added", { ...at, part: outputText("") }),
        ...deltas(block.text, size).map((delta) => ({
          ...event("response.output_text.delta", { ...at, delta, logprobs: [] }),
          repeatable: true,
        })),
        event("response.output_text.done", { ...at, text: block.text, logprobs: [] }),
        event("response.content_part.done", { ...at, part: outputText(block.text) }),
      ];
    }
    case "thinking": {
      if (block.redacted || block.text === "") return [];
      const at = { ...place, summary_index: 0 };
      return [
        event("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } }),
        ...deltas(block.text, size).map((delta) => event("response.reasoning_summary_text.delta", { ...at, delta })),
        event("response.reasoning_summary_text.done", { ...at, text: block.text }),
        event("response.reasoning_summary_part.done", { ...at, part: { type: "summary_text", text: block.text } }),
      ];
    }
    case "call":
      return [
        ...deltas(block.rawArgs, size).map((delta) =>
          event("response.function_call_arguments.delta", { ...place, delta }),
        ),
        event("response.function_call_arguments.done", { ...place, name: block.name, arguments: block.rawArgs }),
      ];
  }
}
