// What a message of the user may hold. Checked before anything is written, because a part that no vendor accepts there
// would make every later request of the session fail.

import { types } from "node:util";
import type { ContentPart } from "@lathe/llm";
import type { InputPart } from "./events/types.ts";

const KINDS: ReadonlySet<string> = new Set<InputPart["kind"]>(["text", "image", "audio", "document"]);
/** Only answers of the model and results of calls hold these. */
const OF_OTHERS: ReadonlySet<string> = new Set(["tool_call", "tool_result", "thinking", "redacted_thinking"]);

/** Says what is wrong with content from a host or a hook, which may not have types; undefined if it can be used. */
export function problemWithInput(content: unknown): string | undefined {
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return "the input must be a text or a list of parts";
  for (const [at, part] of content.entries()) {
    const problem = problemWithPart(Object(part) as Record<string, unknown>);
    if (problem !== undefined) return `part ${at + 1} of the input cannot be used: ${problem}`;
  }
  return undefined;
}

function problemWithPart(part: Record<string, unknown>): string | undefined {
  const { kind } = part;
  if (typeof kind !== "string" || !KINDS.has(kind)) {
    const named = typeof kind === "string" ? `a ${kind} part is not` : "it is not";
    return `${named} text, an image, audio or a document`;
  }
  if (kind === "text") return typeof part["text"] === "string" ? undefined : "text must be a string";
  const media = part[kind];
  if (typeof media !== "object" || media === null) return `${kind} must be an object with data or url`;
  const { data, url, mediaType } = media as Record<string, unknown>;
  if (data !== undefined && !types.isUint8Array(data))
    return `${kind}.data must be bytes (a Uint8Array)${typeof data === "string" ? "; decode base64 first" : ""}`;
  if (url !== undefined && typeof url !== "string") return `${kind}.url must be a string`;
  if ((data === undefined) === (url === undefined)) return `${kind} must have either data or url`;
  return mediaType === undefined || typeof mediaType === "string" ? undefined : `${kind}.mediaType must be a string`;
}

/** For journals of earlier versions, which recorded such parts: the model reads that something was left out. */
export function withoutForeignParts(content: readonly ContentPart[]): readonly ContentPart[] {
  if (!content.some(({ kind }) => OF_OTHERS.has(kind))) return content;
  return content.map(
    (part): ContentPart =>
      OF_OTHERS.has(part.kind)
        ? { kind: "text", text: `[A ${part.kind} part was left out: messages of the user cannot hold it.]` }
        : part,
  );
}
