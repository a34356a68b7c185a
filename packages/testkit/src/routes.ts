// Which dialect a path belongs to. Any prefix is accepted: gateways and Azure have the same endpoints under other
// roots.

export type DialectName = "anthropic" | "responses" | "chat" | "gemini" | "bedrock" | "ollama";

export interface Route {
  readonly dialect: DialectName;
  readonly operation: "generate" | "count";
  /** The model in the path, if the vendor puts it there. */
  readonly model?: string;
  /** Whether the path asks for a stream; if undefined, the body's `stream` field decides. */
  readonly stream?: boolean;
}

const GEMINI = /\/models\/([^/]+):(generateContent|streamGenerateContent|countTokens)$/;
const BEDROCK = /\/model\/([^/]+)\/(converse|converse-stream|count-tokens)$/;

export function routeOf(method: string, path: string): Route | undefined {
  if (method !== "POST") return undefined;
  if (path.endsWith("/messages/count_tokens")) return { dialect: "anthropic", operation: "count", stream: false };
  if (path.endsWith("/messages")) return { dialect: "anthropic", operation: "generate" };
  if (path.endsWith("/responses/input_tokens")) return { dialect: "responses", operation: "count", stream: false };
  if (path.endsWith("/responses/compact")) return { dialect: "responses", operation: "generate", stream: false };
  if (path.endsWith("/responses")) return { dialect: "responses", operation: "generate" };
  if (path.endsWith("/chat/completions")) return { dialect: "chat", operation: "generate" };
  if (path.endsWith("/api/chat")) return { dialect: "ollama", operation: "generate" };
  const gemini = GEMINI.exec(path);
  if (gemini) {
    return {
      dialect: "gemini",
      operation: gemini[2] === "countTokens" ? "count" : "generate",
      model: decodeURIComponent(gemini[1]!),
      stream: gemini[2] === "streamGenerateContent",
    };
  }
  const bedrock = BEDROCK.exec(path);
  if (bedrock) {
    return {
      dialect: "bedrock",
      operation: bedrock[2] === "count-tokens" ? "count" : "generate",
      model: decodeURIComponent(bedrock[1]!),
      stream: bedrock[2] === "converse-stream",
    };
  }
  return undefined;
}
