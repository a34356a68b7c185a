// Finds what caused an answer: the results of the round before it, or a message.

import type { Usage } from "@lathe/llm";
import { spread } from "../../context/ledger/spread.ts";
import { charactersOf } from "../../context/message-size.ts";
import type { MessageEntry } from "../../contract/journal.ts";
import type { JournalReader } from "../../contract/journal-reader.ts";

export interface Cause {
  /** Undefined if a person or a program wrote the message. */
  readonly tool: string | undefined;
  readonly size: number;
}

export interface AnswerShare {
  readonly tool: string | undefined;
  readonly tokens: number;
  readonly cost: number;
}

export function causesOf(journal: Pick<JournalReader, "meta" | "entry">, answer: MessageEntry): Cause[] {
  const results: { readonly callId: string; readonly size: number }[] = [];
  let words = 0;
  for (let id = answer.parentId; id !== null; ) {
    const meta = journal.meta(id);
    if (!meta) break;
    if (meta.type === "message") {
      const { message } = journal.entry(id) as MessageEntry;
      if (message.role === "assistant") return [...namedBy(message, results), { tool: undefined, size: words }];
      const size = Math.max(1, charactersOf(message));
      if (message.role === "tool") results.push({ callId: message.toolCallId ?? "", size });
      else words += size;
    }
    id = meta.parentId;
  }
  return [{ tool: undefined, size: 1 }];
}

function namedBy(
  { content }: MessageEntry["message"],
  results: readonly { readonly callId: string; readonly size: number }[],
): Cause[] {
  const names = new Map(
    content.flatMap((part) => (part.kind === "tool_call" ? [[part.toolCall.id, part.toolCall.name]] : [])),
  );
  return results.map(({ callId, size }) => ({ tool: names.get(callId), size }));
}

export function sharesOf(
  causes: readonly Cause[],
  { usage, cost }: { readonly usage: Usage; readonly cost: number },
): AnswerShare[] {
  const sizes = causes.map(({ size }) => size);
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const tokens = spread(usage.totalTokens, sizes);
  return causes.map(({ tool }, index) => ({
    tool,
    tokens: tokens[index] ?? 0,
    cost: whole === 0 ? (index === 0 ? cost : 0) : (cost * (sizes[index] ?? 0)) / whole,
  }));
}
