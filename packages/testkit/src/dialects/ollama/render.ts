// Ollama's native chat: how a turn and an error look on the wire.

import { type Dialect, deltas, type ResolvedBlock, type ResolvedTurn } from "../../dialect.ts";
import type { StreamPart } from "../../wire.ts";
import { bearer, defaultMessage, errorHeaders } from "../http.ts";
import { validate } from "./validate.ts";

export const ollama: Dialect = {
  name: "ollama",
  defaultModel: "scripted-model",
  framing: () => "ndjson",
  credential: bearer,
  denial: () => ({ status: 401, message: "unauthorized" }),
  validate,
  complete: (turn) => ({ ...line(turn, message(turn)), ...closingFields(turn) }),
  stream,
  count: (tokens) => ({ prompt_eval_count: tokens }),
  error: (status, options) => ({
    status,
    headers: errorHeaders(options),
    body: { error: options.message ?? defaultMessage(status) },
  }),
  streamError: (kind, text) => ({
    data: { error: text ?? `an error was encountered while running the model: ${kind}` },
  }),
};

function line(turn: ResolvedTurn, content: object) {
  return {
    model: turn.model,
    created_at: "2025-01-01T00:00:00Z",
    message: { role: "assistant", ...content },
    done: false,
  };
}

function closingFields(turn: ResolvedTurn) {
  return {
    done: true,
    done_reason: turn.rawStop ?? (turn.stop === "length" ? "length" : "stop"),
    total_duration: 1,
    load_duration: 1,
    ...(turn.usage ? { prompt_eval_count: turn.usage.input, eval_count: turn.usage.output } : {}),
    prompt_eval_duration: 1,
    eval_duration: 1,
  };
}

function message(turn: ResolvedTurn) {
  const join = (type: "text" | "thinking") =>
    turn.blocks.map((block) => (block.type === type ? block.text : "")).join("");
  const thinking = join("thinking");
  const calls = turn.blocks.flatMap((block) =>
    block.type === "call" ? [{ function: { name: block.name, arguments: block.args } }] : [],
  );
  return {
    content: join("text"),
    ...(thinking === "" ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function stream(turn: ResolvedTurn): StreamPart[] {
  const lines = turn.blocks.flatMap((block) => blockLines(block, turn));
  return [...lines, { data: { ...line(turn, { content: "" }), ...closingFields(turn) }, terminal: true }];
}

function blockLines(block: ResolvedBlock, turn: ResolvedTurn): StreamPart[] {
  const size = turn.deltaChars;
  switch (block.type) {
    case "text":
      return deltas(block.text, size).map((content) => ({ data: line(turn, { content }), repeatable: true }));
    case "thinking":
      return deltas(block.text, size).map((thinking) => ({ data: line(turn, { content: "", thinking }) }));
    case "call": {
      const calls = [{ function: { name: block.name, arguments: block.args } }];
      return [{ data: line(turn, { content: "", tool_calls: calls }) }];
    }
  }
}
