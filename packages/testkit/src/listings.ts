// The small endpoints around a model: listings, server properties, OAuth tokens.

import type { ServerResponse } from "node:http";
import type { RecordedRequest } from "./record.ts";

export interface ListedModel {
  readonly id: string;
  readonly contextLength?: number;
  /** Ollama's `capabilities`: completion, tools, vision, thinking. */
  readonly capabilities?: readonly string[];
}

export interface Listings {
  readonly models?: readonly ListedModel[];
  /** Context size and modalities of llama.cpp's `/props`. */
  readonly props?: { readonly contextLength: number; readonly vision?: boolean };
  /** Answers `POST /token`; a function gets the request and can count calls itself. */
  readonly token?: TokenAnswer | ((request: RecordedRequest) => TokenAnswer);
  /** Path endings that answer 404, such as `/responses` on a server that has only Chat Completions. */
  readonly missing?: readonly string[];
}

export interface TokenAnswer {
  readonly status?: number;
  readonly body: unknown;
}

const DEFAULT_MODELS: readonly ListedModel[] = [
  { id: "scripted-model", contextLength: 32_768, capabilities: ["completion", "tools"] },
];

type Answer = { readonly status: number; readonly body: unknown };

export async function answerListing(request: RecordedRequest, response: ServerResponse, listings: Listings) {
  const { status, body } = answer(request, listings);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export function isMissing(request: RecordedRequest, listings: Listings | undefined): boolean {
  return listings?.missing?.some((end) => request.path.endsWith(end)) ?? false;
}

function answer(request: RecordedRequest, listings: Listings): Answer {
  const { method, path } = request;
  const models = listings.models ?? DEFAULT_MODELS;
  if (isMissing(request, listings)) return notFound(method, path);
  if (method === "POST" && path.endsWith("/token")) return tokenAnswer(request, listings.token);
  if (method === "POST" && path === "/api/show") return show(request, models);
  if (method !== "GET") return notFound(method, path);
  if (path === "/props") return ok(props(listings.props));
  if (path === "/api/tags") return ok({ models: models.map(ollamaTag) });
  if (path === "/api/v0/models") return ok({ object: "list", data: models.map(lmStudioModel) });
  if (path === "/v1beta/models") return ok({ models: models.map(geminiModel) });
  if (path.endsWith("/models")) return ok(modelList(request, models));
  return notFound(method, path);
}

const ok = (body: unknown): Answer => ({ status: 200, body });

function notFound(method: string, path: string): Answer {
  return {
    status: 404,
    body: { error: { message: `testkit: no route for ${method} ${path}`, type: "not_found_error" } },
  };
}

function tokenAnswer(request: RecordedRequest, scripted: Listings["token"]): Answer {
  const scriptedAnswer = typeof scripted === "function" ? scripted(request) : scripted;
  const standard = { access_token: "scripted-token", token_type: "Bearer", expires_in: 3600 };
  return { status: scriptedAnswer?.status ?? 200, body: scriptedAnswer?.body ?? standard };
}

function show(request: RecordedRequest, models: readonly ListedModel[]): Answer {
  const id = request.body?.model ?? request.body?.name;
  const model = models.find((item) => item.id === id);
  if (!model) return { status: 404, body: { error: `model '${id}' not found` } };
  return ok({
    details: { format: "gguf", family: "scripted" },
    model_info: { "general.architecture": "scripted", "scripted.context_length": model.contextLength ?? 8192 },
    capabilities: model.capabilities ?? ["completion"],
  });
}

function props(scripted: Listings["props"]) {
  return {
    default_generation_settings: { n_ctx: scripted?.contextLength ?? 8192 },
    modalities: { vision: scripted?.vision ?? false, audio: false },
    total_slots: 1,
  };
}

function ollamaTag(model: ListedModel) {
  return { name: model.id, model: model.id, modified_at: "2025-01-01T00:00:00Z", size: 1, digest: "0", details: {} };
}

function lmStudioModel(model: ListedModel) {
  return {
    id: model.id,
    object: "model",
    type: model.capabilities?.includes("vision") ? "vlm" : "llm",
    state: "loaded",
    max_context_length: model.contextLength ?? 8192,
    capabilities: model.capabilities?.includes("tools") ? ["tool_use"] : [],
  };
}

function geminiModel(model: ListedModel) {
  return {
    name: `models/${model.id}`,
    inputTokenLimit: model.contextLength ?? 8192,
    supportedGenerationMethods: ["generateContent", "countTokens"],
  };
}

/** vLLM reports it; others leave it out. */
const windowOf = ({ contextLength }: ListedModel) =>
  contextLength === undefined ? {} : { max_model_len: contextLength };

function modelList(request: RecordedRequest, models: readonly ListedModel[]) {
  const anthropic = request.headers["anthropic-version"] !== undefined;
  const data = models.map((model) =>
    anthropic
      ? { type: "model", id: model.id, display_name: model.id, created_at: "2025-01-01T00:00:00Z" }
      : { id: model.id, object: "model", created: 1_735_689_600, owned_by: "testkit", ...windowOf(model) },
  );
  if (!anthropic) return { object: "list", data };
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
