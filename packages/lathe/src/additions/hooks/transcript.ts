// The conversation in the form of Claude Code's transcripts, for hooks that read `transcript_path`: one JSON object per
// line, calls under Claude's names. It is written when the first such hook runs, grows with the conversation, and is
// removed with the session.

import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, type Message } from "@lathe/llm";
import { foreignCalls } from "../../config/tool-names/foreign-calls.ts";

interface TranscriptParts {
  readonly path: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly now: () => number;
  /** Removes known secrets. */
  readonly redact: (line: JsonObject) => JsonValue;
}

/** The conversation so far; an entry without an id is a placeholder for a running call. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly entryIds: readonly (string | undefined)[];
}

export class ClaudeTranscript {
  readonly #parts: TranscriptParts;
  /** Number of messages in the file, and the entry of the last one. */
  #count = 0;
  #last: string | undefined;
  #exists = false;

  constructor(parts: TranscriptParts) {
    this.#parts = parts;
  }

  /** Appends new messages, or rewrites the file if the conversation took another branch. Returns the file's path. */
  update({ messages, entryIds }: Conversation): string {
    const { path } = this.#parts;
    const open = entryIds.indexOf(undefined);
    const count = open === -1 ? messages.length : open;
    const goesOn = this.#exists && this.#count <= count && entryIds[this.#count - 1] === this.#last;
    if (!goesOn) {
      this.#count = 0;
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, "", { mode: 0o600 });
      this.#exists = true;
    }
    const lines = messages
      .slice(this.#count, count)
      .flatMap((message, i) =>
        this.#line(message, entryIds[this.#count + i] ?? "", entryIds[this.#count + i - 1] ?? null),
      );
    this.#count = count;
    this.#last = entryIds[count - 1];
    if (lines.length > 0) appendFileSync(path, lines.join(""));
    return path;
  }

  remove(): void {
    if (this.#exists) rmSync(this.#parts.path, { force: true });
  }

  #line(message: Message, uuid: string, parentUuid: string | null): readonly string[] {
    const { sessionId, cwd, now, redact } = this.#parts;
    if (message.role === "system" || message.role === "developer") return [];
    const role = message.role === "assistant" ? "assistant" : "user";
    const line = {
      parentUuid,
      isSidechain: false,
      userType: "external",
      cwd,
      sessionId,
      type: role,
      message: { role, content: contentOf(message, cwd) },
      uuid,
      timestamp: new Date(now()).toISOString(),
    };
    return [`${JSON.stringify(redact(line))}\n`];
  }
}

/** A user message of one text is a string; everything else is a list of blocks. */
function contentOf({ role, content }: Message, cwd: string): JsonValue {
  const blocks = content.flatMap((part): JsonObject[] => {
    if (part.kind === "text") return [{ type: "text", text: part.text }];
    if (part.kind === "thinking") return [{ type: "thinking", thinking: part.thinking.text ?? "" }];
    if (part.kind === "image") return [{ type: "text", text: "[image]" }];
    if (part.kind === "tool_call") {
      const { id, name: tool, arguments: written } = part.toolCall;
      const args = isJsonObject(written) ? written : { input: written };
      const [shown] = foreignCalls("claude", { tool, args, schema: {}, cwd });
      return [{ type: "tool_use", id, name: shown?.name ?? tool, input: shown?.input ?? args }];
    }
    if (part.kind !== "tool_result") return [];
    const { toolCallId, content: result, isError = false } = part.toolResult;
    const text = typeof result === "string" ? result : JSON.stringify(result);
    return [{ type: "tool_result", tool_use_id: toolCallId, content: text, is_error: isError }];
  });
  const [only] = blocks;
  return role === "user" && blocks.length === 1 && only?.["type"] === "text" ? String(only["text"]) : blocks;
}
