// The parts of one message as owners, each with its share of the wire form.

import type { ContentPart, MediaData, Message } from "@lathe/llm";
import { visibleLine } from "../../base/text/visible.ts";
import type { TreeEntry } from "../../contract/journal.ts";
import type { LedgerOwner, OwnerKind } from "./types.ts";

/** `weight`: roughly its bytes on the wire, relative to the other parts of the message. */
export type WeighedOwner = Pick<LedgerOwner, "kind" | "name"> & { readonly weight: number };

export interface MessageSource {
  /** Absent for the environment block and for results that were filled in. */
  readonly entry?: TreeEntry | undefined;
  /** True if a compaction kept it word for word. */
  readonly kept: boolean;
  /** The tool's name by the id of a call. */
  readonly toolOf: (callId: string) => string;
  /** Whether the wire form contains this text; absent if there is no wire form. */
  readonly isSent?: ((text: string) => boolean) | undefined;
}

/** Quotes, braces, type and ids around the content of a part. */
const ENVELOPE = 40;
const NAME_CHARS = 60;

export function messageOwners(message: Message, source: MessageSource): WeighedOwner[] {
  const owners = message.content.flatMap((part) => partOwners(part, message, source));
  return owners.length > 0 ? owners : [{ kind: kindOf(message, source), name: "", weight: ENVELOPE }];
}

function partOwners(part: ContentPart, message: Message, source: MessageSource): WeighedOwner[] {
  switch (part.kind) {
    case "text":
      return [{ kind: kindOf(message, source), name: nameOf(part.text, source), weight: sizeOf(part.text) }];
    case "thinking":
    case "redacted_thinking": {
      const { text, signature = "" } = part.thinking;
      // Another vendor's thinking is not sent, and some vendors accept none at all.
      if (source.isSent?.(text === "" ? signature : text) === false) return [];
      const isSigned = source.isSent?.(signature) ?? true;
      return [{ kind: "thinking", name: "", weight: sizeOf(text) + (isSigned ? sizeOf(signature) : 0) }];
    }
    case "tool_call": {
      const { name, arguments: args, signature = "" } = part.toolCall;
      const isSigned = source.isSent?.(signature) ?? true;
      return [{ kind: "call", name, weight: sizeOf(args) + name.length + (isSigned ? signature.length : 0) }];
    }
    case "tool_result": {
      const { toolCallId, content, images = [] } = part.toolResult;
      const name = source.toolOf(toolCallId);
      return [
        { kind: source.kept ? "kept" : "result", name, weight: sizeOf(content) },
        ...images.map((image) => mediaOwner(image)),
      ];
    }
    case "image":
      return [mediaOwner(part.image)];
    case "audio":
      return [mediaOwner(part.audio)];
    case "document":
      return [mediaOwner(part.document)];
    case "unknown":
      return source.isSent?.(firstText(part.raw)) === false
        ? []
        : [{ kind: "answer", name: "", weight: sizeOf(part.raw) }];
  }
}

function kindOf(message: Message, { entry, kept }: MessageSource): OwnerKind {
  if (message.role === "assistant") return "answer";
  if (message.role === "tool") return "result";
  if (entry === undefined) return "environment";
  if (entry.type === "compaction" || entry.type === "branch_summary") return "summary";
  if (kept) return "kept";
  const isOurs = entry.type === "custom_message" || (entry.type === "message" && isInjected(entry.origin));
  return isOurs ? "note" : "user";
}

const isInjected = (origin: string | undefined): boolean => origin === "loop_detection" || origin === "injected";

function nameOf(text: string, { entry }: MessageSource): string {
  if (entry === undefined) return "";
  if (entry.type === "compaction") return "compaction";
  if (entry.type === "branch_summary") return "branch";
  if (entry.type === "custom_message") return entry.customType;
  const [first = ""] = text.trimStart().split("\n", 1);
  const line = visibleLine(first.slice(0, NAME_CHARS + 1).toWellFormed()).trim();
  return line.length > NAME_CHARS ? `${line.slice(0, NAME_CHARS)}…` : line;
}

function mediaOwner({ data, url = "", mediaType = "" }: MediaData): WeighedOwner {
  const weight = data === undefined ? url.length : Math.ceil(data.length / 3) * 4;
  return { kind: "media", name: mediaType, weight: weight + ENVELOPE };
}

function sizeOf(content: unknown): number {
  return Buffer.byteLength(JSON.stringify(content) ?? "") + ENVELOPE;
}

function firstText(raw: unknown): string {
  if (typeof raw === "string") return raw;
  if (typeof raw !== "object" || raw === null) return "";
  for (const value of Object.values(raw)) {
    const text = firstText(value);
    if (text !== "") return text;
  }
  return "";
}
