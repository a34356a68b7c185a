// One grammar for every vendor's stream (DM-11):
//
//   stream = stream_start , { block | provider_event } , ( finish | error ) ;
//   block  = text_start , { text_delta } , text_end
//          | reasoning_start , { reasoning_delta } , reasoning_end
//          | tool_call_start , { tool_call_delta } , tool_call_end ;
//
// Blocks may interleave and are tied together by position-derived ids. Every started block ends exactly once, before
// the terminal event; there is exactly one terminal event and nothing after it. A vendor that restarts its message
// (a second message_start) yields `stream_restart`: all blocks so far are void, the grammar begins anew after it.
// The high-level `stream()` adds `step_finish` between the steps of a tool loop.

import type { SDKError } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ThinkingData } from "./message.ts";
import type { FinishReason, Response, Usage, Warning } from "./response.ts";

/**
 * One event of a stream. The grammar: `stream_start`, then blocks (text, reasoning, tool calls: start, deltas, end;
 * they may interleave) and provider events, then exactly one `finish` or `error`. `stream_restart` voids what came
 * before it.
 */
export type StreamEvent =
  | {
      readonly type: "stream_start";
      readonly id?: string | undefined;
      readonly model?: string | undefined;
      readonly warnings?: readonly Warning[] | undefined;
      /**
       * What is already charged, if the vendor says so at once: for an answer that is left early, nothing else is
       * known.
       */
      readonly usage?: Usage | undefined;
    }
  | { readonly type: "stream_restart" }
  | { readonly type: "text_start"; readonly textId: string }
  | { readonly type: "text_delta"; readonly textId: string; readonly delta: string }
  | { readonly type: "text_end"; readonly textId: string; readonly text: string }
  | { readonly type: "reasoning_start"; readonly reasoningId: string }
  | { readonly type: "reasoning_delta"; readonly reasoningId: string; readonly reasoningDelta: string }
  | { readonly type: "reasoning_end"; readonly reasoningId: string; readonly thinking: ThinkingData }
  | { readonly type: "tool_call_start"; readonly callKey: string; readonly toolCall: StreamedToolCall }
  | {
      readonly type: "tool_call_delta";
      readonly callKey: string;
      readonly toolCall: StreamedToolCall;
      readonly delta: string;
    }
  | { readonly type: "tool_call_end"; readonly callKey: string; readonly toolCall: StreamedToolCall }
  | { readonly type: "provider_event"; readonly raw: JsonValue }
  | { readonly type: "finish"; readonly finishReason: FinishReason; readonly usage: Usage; readonly response: Response }
  | { readonly type: "error"; readonly error: SDKError; readonly partial?: Response | undefined };

/**
 * The iterator of a stream. If the stream has `takeArrived`, events that have already arrived can be taken without a
 * promise for each: in a long answer, the promises cost more than the deltas.
 */
export interface StreamEventIterator extends AsyncIterator<StreamEvent> {
  /** The next event, if it has already arrived and does not end the answer; everything else comes from `next`. */
  takeArrived?(): StreamEvent | undefined;
}

/** The events that contain a piece of an answer. */
export type DeltaEvent = Extract<StreamEvent, { type: "text_delta" | "reasoning_delta" | "tool_call_delta" }>;

/**
 * A call as far as it has arrived. `rawArguments` and `arguments` are getters computed on demand: fragments are joined,
 * and the partial JSON parsed, only when a caller reads them, so 10,000 deltas cost no more than their bytes.
 */
export interface StreamedToolCall {
  readonly id: string;
  readonly name: string;
  readonly type: "function" | "custom";
  readonly rawArguments: string;
  readonly arguments: JsonObject;
}
