// The end of a call: bounds its output, journals it with the changes it made, and announces it.

import { type ImageData, type JsonValue, Message, type ToolCallData } from "@lathe/llm";
import { wellFormed } from "../../base/text/well-formed.ts";
import { truncationMeta, withMeta } from "../../base/truncate/meta.ts";
import { truncateOutput } from "../../base/truncate/truncate.ts";
import type { MessageEntry, NestedCallEntry } from "../../contract/journal.ts";
import type { OuterCall } from "../../contract/seams/types.ts";
import type { ToolResult } from "../../contract/tool.ts";
import { markWebText } from "../../files/web/mark-text.ts";
import type { HostChoices, ModelContext, SessionLog, Work } from "../facades.ts";
import { resultLimit } from "../known-window.ts";
import { keepOutput } from "./artifact-output.ts";
import { cardOf, cardResult, type ShownCall } from "./card.ts";

export interface CallOutcome {
  readonly result: ToolResult;
  /** The id that the intent reserved for the result's entry. */
  readonly entryId?: string;
  readonly settled?: "interrupted" | "skipped";
}

export function failure(text: string): CallOutcome {
  return { result: { content: [{ kind: "text", text }], isError: true } };
}

export interface StartedCall extends ShownCall {
  readonly call: ToolCallData;
  readonly startedAt: number;
  /** The call that made this one. */
  readonly within: OuterCall | undefined;
}

/** Returns the result for an outer call: whole, up to the size of an event. */
export async function finishCall(
  core: SessionLog & HostChoices & ModelContext & Work,
  started: StartedCall,
  outcome: CallOutcome,
): Promise<ToolResult> {
  const { call, tool, summary, startedAt, within } = started;
  const { settled } = outcome;
  // We redact before we truncate: half a secret would not be recognised.
  const result = core.redact(outcome.result);
  const { changes = [], reads = [], fromWeb, effects } = result;
  const isError = result.isError ?? false;
  const full = wellFormed(resultText(result));
  const { limit, isCapped } = resultLimit(core, tool ?? { name: call.name });
  const forModel = result.isWhole && !isCapped ? full : truncateOutput(full, limit);
  const output = await keepOutput(core, call.name, { full, forModel, artifact: result.artifact });
  const content = fromWeb ? markWebText(output.forModel, fromWeb.source) : output.forModel;
  const truncation = truncationMeta(full, forModel, limit, output.artifact?.id);
  const details = withMeta(checkedDetails(core, call, result), truncation);
  const durationMs = core.deps.now() - startedAt;
  const more = {
    summary,
    ...(details === undefined ? {} : { details }),
    ...(changes.length === 0 ? {} : { changes }),
    ...(reads.length === 0 ? {} : { reads }),
    ...(effects === undefined ? {} : { effects }),
    ...(output.artifact === undefined ? {} : { artifact: output.artifact }),
  };
  const images = imagesOf(result);
  const facts = {
    // The summary comes before the output, so that a list can show it without reading on.
    ...{ summary },
    message: Message.toolResult({ toolCallId: call.id, content, isError, images }),
    durationMs,
    ...more,
    ...(fromWeb === undefined ? {} : { fromWeb }),
    ...(settled === undefined ? {} : { settled }),
    ...(outcome.entryId === undefined ? {} : { id: outcome.entryId }),
  };
  const entry = core.append(
    within
      ? {
          type: "nested_call",
          callId: call.id,
          within: within.callId,
          tool: call.name,
          arguments: started.args,
          ...facts,
        }
      : { type: "message", ...facts, ...(core.input?.awaits === undefined ? {} : { awaits: core.input.awaits }) },
  ) as MessageEntry | NestedCallEntry;
  core.emit("tool_call_end", {
    call_id: call.id,
    ...(within === undefined ? {} : { nested_in: within.callId }),
    tool_name: call.name,
    is_error: isError,
    duration_ms: durationMs,
    entry_id: entry.id,
    message: entry.message,
    ...(isError ? { error: output.forHost } : { output: output.forHost }),
    card: cardOf(started, cardResult(entry)),
    ...more,
    ...(fromWeb === undefined ? {} : { from_web: fromWeb }),
  });
  const parts = [
    { kind: "text" as const, text: output.forHost },
    ...images.map((image) => ({ kind: "image" as const, image })),
  ];
  return { content: parts, isError, changes, reads, fromWeb, effects, details, artifact: output.artifact };
}

/**
 * A host's tool may return anything as details. Values that are not JSON cannot be stored and must not end the session.
 */
function checkedDetails(core: SessionLog, call: ToolCallData, { details }: ToolResult): JsonValue | undefined {
  if (details === undefined || isJson(details)) return details;
  core.warn(`The details that the tool ${call.name} returned are not JSON and were omitted.`, "tool_details");
  return undefined;
}

const MOST_NESTING = 200;

/** Values nested deeper than any real one are treated as circular. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") return false;
  if (typeof value !== "object" || value === null) return true;
  if (depth > MOST_NESTING) return false;
  return Object.values(value).every((inner) => isJson(inner, depth + 1));
}

function resultText(result: ToolResult): string {
  return result.content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

function imagesOf(result: ToolResult): ImageData[] {
  return result.content.flatMap((part) => (part.kind === "image" ? [part.image] : []));
}
