// What happens to each part of a request at each kind of provider: one table, as data. The rule: what would change the
// meaning of an answer is refused; what only makes it better, cheaper or more consistent is dropped and named in a
// header; everything else is carried over.

import type { Api } from "../types/model.ts";

/** The wire formats of providers; several API names share one. */
export type ProviderFormat = "anthropic" | "bedrock" | "gemini" | "responses" | "chat" | "ollama";

export const PROVIDER_FORMATS: Readonly<Partial<Record<Api, ProviderFormat>>> = {
  "anthropic-messages": "anthropic",
  "bedrock-converse-stream": "bedrock",
  "google-generative-ai": "gemini",
  "google-vertex": "gemini",
  "google-gemini-cli": "gemini",
  "openai-responses": "responses",
  "openai-codex-responses": "responses",
  "azure-openai-responses": "responses",
  "openai-completions": "chat",
  "ollama-chat": "ollama",
};

/** What happens to a part of a request. */
export type Fate = "carried" | "dropped" | "refused";

/** A part of requests, with what happens to it at providers of each format. */
export interface FateRow {
  readonly what: string;
  /** For the table in the documentation. */
  readonly meaning: string;
  /** `c` carried, `d` dropped, `r` refused; in the order of `COLUMNS`. */
  readonly fates: string;
}

export const COLUMNS: readonly ProviderFormat[] = ["anthropic", "bedrock", "gemini", "responses", "chat", "ollama"];

export const FATES = [
  { what: "image", meaning: "Images as data", fates: "cccccc" },
  { what: "image_url", meaning: "Images by URL", fates: "crcccr" },
  { what: "document", meaning: "Documents as data", fates: "cccccr" },
  { what: "document_url", meaning: "Documents by URL", fates: "crccrr" },
  { what: "audio", meaning: "Audio", fates: "rrcrcr" },
  { what: "tools", meaning: "Tools, calls and results, including parallel ones", fates: "cccccc" },
  { what: "tool_choice", meaning: "A forced call of any tool, or of a certain one", fates: "cccccr" },
  {
    what: "custom_tool",
    meaning: "Free-form tools (if unsupported: a function with one text argument)",
    fates: "cccccc",
  },
  { what: "custom_tool_grammar", meaning: "The grammar of a free-form tool", fates: "dddcdd" },
  { what: "tool_result_error", meaning: "The mark that a tool result is an error", fates: "cccddd" },
  { what: "parallel_tool_calls", meaning: "At most one call at a time", fates: "cddccd" },
  { what: "structured_output", meaning: "An answer that follows a JSON Schema, or is JSON", fates: "cccccc" },
  { what: "stop_sequences", meaning: "Stop sequences", fates: "cccrcc" },
  { what: "cache_control", meaning: "Cache marks", fates: "ccdddd" },
  { what: "thinking", meaning: "Thinking, sent back to the model that signed it", fates: "cccccc" },
  {
    what: "thinking_budget",
    meaning: "A thinking budget in tokens (if unsupported: the nearest effort)",
    fates: "cddddd",
  },
  { what: "user_id", meaning: "`metadata.user_id`", fates: "cddddd" },
  { what: "message_name", meaning: "The name of a user", fates: "ddddcd" },
  { what: "top_k", meaning: "`top_k`", fates: "cdcddc" },
  { what: "seed", meaning: "`seed`", fates: "ddcdcc" },
  { what: "frequency_penalty", meaning: "`frequency_penalty`", fates: "ddcdcc" },
  { what: "presence_penalty", meaning: "`presence_penalty`", fates: "ddcdcc" },
  { what: "verbosity", meaning: "`verbosity`", fates: "dddcdd" },
] as const satisfies readonly FateRow[];

export type Feature = (typeof FATES)[number]["what"];

const WORDS: Readonly<Record<string, Fate>> = { c: "carried", d: "dropped", r: "refused" };

export function fateOf(feature: Feature, at: ProviderFormat): Fate {
  const fates = FATES.find(({ what }) => what === feature)?.fates ?? "";
  return WORDS[fates[COLUMNS.indexOf(at)] ?? ""] ?? "refused";
}
