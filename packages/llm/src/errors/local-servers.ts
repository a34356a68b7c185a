// The messages with which local servers refuse tools or name their window. Data: another wording is a new row.

import { ContextLengthError, ProviderError } from "../types/errors.ts";
import { isJsonObject, type JsonValue } from "../types/json.ts";

/** The request is valid, but this model, its template or the server's options do not support tools. */
const TOOLS_REFUSED: readonly RegExp[] = [
  // Ollama (400): "registry.ollama.ai/library/gemma3:4b does not support tools"
  /does not support (?:the use of )?(?:tools?|functions?)(?: (?:use|calls?|calling))?\b/i,
  // llama.cpp (500): "tools param requires --jinja flag"
  /tools? (?:param|choice)\w* requires --jinja/i,
  // vLLM (400): '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
  /tool choice requires --enable-auto-tool-choice/i,
  // LM Studio, SGLang and gateways in front of them
  /\b(?:tools?|tool[ _-]?(?:use|calls?|calling)|function[ _-]?calling) (?:is|are) not (?:supported|enabled|available)/i,
  /not (?:support|trained for) tool[ _-]?(?:use|calls?|calling)/i,
];

/** Statuses of such a refusal; llama.cpp's is a 500. */
const REFUSING: ReadonlySet<number> = new Set([400, 404, 422, 500, 501]);

/** True if the server will not accept tools at all, so that calls must be written as text. */
export function refusesTools(error: unknown): boolean {
  if (!(error instanceof ProviderError) || error instanceof ContextLengthError) return false;
  if (error.statusCode !== undefined && !REFUSING.has(error.statusCode)) return false;
  return TOOLS_REFUSED.some((wording) => wording.test(error.message));
}

/** Fields of an error body that contain the window. llama.cpp: `n_ctx`. */
const WINDOW_FIELDS = ["n_ctx", "max_model_len", "max_context_length"];

/** Each has the window in its first group. */
const WINDOWS: readonly RegExp[] = [
  // llama.cpp: "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it"
  /available context size \((\d+)(?: tokens)?\)/i,
  // vLLM, OpenAI: "This model's maximum context length is 4096 tokens. However, you requested …"
  /maximum (?:context|model) length (?:is|of) (\d+)/i,
  // LM Studio: "… the model is loaded with context length of only 4096 tokens", "Reached context length of 4096 tokens"
  /context length of (?:only )?(\d+) tokens/i,
  // LM Studio: "… greater than the context length (n_keep: 9000>= n_ctx: 4096)"
  /n_ctx:? *=? *(\d+)/i,
  // Ollama: "… exceeds the context length of 4096", "context window (4096)"
  /(?:context|input) (?:length|window|size)(?: limit)?(?: \(| of | is |: )(\d+)/i,
  // llama-cpp-python: "Requested tokens (2285) exceed context window of 2048"
  /exceeds? (?:the )?context window of (\d+)/i,
];
const LEAST = 256;
const MOST = 16_000_000;

/** The window that a server names when it refuses a request as too long. */
export function statedWindow(error: unknown): number | undefined {
  if (!(error instanceof ContextLengthError)) return undefined;
  const said = WINDOWS.map((pattern) => Number(pattern.exec(error.message)?.[1])).find((tokens) => tokens > 0);
  const tokens = windowField(error.raw) ?? said;
  return tokens !== undefined && tokens >= LEAST && tokens <= MOST ? tokens : undefined;
}

function windowField(raw: JsonValue | undefined): number | undefined {
  if (!isJsonObject(raw)) return undefined;
  const inner = isJsonObject(raw["error"]) ? raw["error"] : raw;
  return WINDOW_FIELDS.map((field) => inner[field]).find((value) => typeof value === "number") as number | undefined;
}
