// How each kind of local server lists its models, and what its answers tell about them.

import { ollamaThinking } from "../catalog/assumed.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../types/json.ts";
import type { ModelInfo, ThinkingInfo } from "../types/model.ts";
import type { Ask } from "./request.ts";

/** The kinds of servers whose models can be listed. */
export type DiscoveryType = "ollama" | "llama.cpp" | "lm-studio" | "openai-compatible";
type Found = Omit<ModelInfo, "provider" | "api">;

/** For servers that do not report a window: small enough to fit their defaults. */
const defaultWindow = 8192;

export const listings: Readonly<Record<DiscoveryType, (baseUrl: string, ask: Ask) => Promise<Found[] | undefined>>> = {
  ollama: listOllama,
  "llama.cpp": listLlamaCpp,
  "lm-studio": listLmStudio,
  "openai-compatible": listCompatible,
};

async function listOllama(baseUrl: string, ask: Ask): Promise<Found[] | undefined> {
  const root = baseUrl.replace(/\/v1$/, "");
  const [tags, running] = await Promise.all([ask(`${root}/api/tags`), ask(`${root}/api/ps`)]);
  if (tags === undefined) return undefined;
  // The window that a loaded model really has; the model's own length is only its maximum.
  const loaded = new Map(
    objects(member(running, "models")).map((model) => [text(model["model"]), positive(model["context_length"])]),
  );
  const names = objects(member(tags, "models")).flatMap((tag) => text(tag["model"]) ?? text(tag["name"]) ?? []);
  const models = await Promise.all(
    names.map(async (id) => {
      const shown = await ask(`${root}/api/show`, { model: id });
      const capabilities = strings(member(shown, "capabilities"));
      // A model that only makes embeddings cannot chat.
      if (capabilities.length > 0 && !capabilities.includes("completion")) return [];
      return localModel(id, {
        window: loaded.get(id) ?? numCtx(member(shown, "parameters")) ?? contextLength(member(shown, "model_info")),
        tools: shown === undefined || capabilities.includes("tools"),
        vision: capabilities.includes("vision"),
        ...(capabilities.includes("thinking") ? { thinking: ollamaThinking(id) } : {}),
      });
    }),
  );
  return models.flat();
}

/** Reads `num_ctx` from the model's own file, which has lines of name and value. */
function numCtx(parameters: JsonValue | undefined): number | undefined {
  return positive(Number(/^num_ctx\s+(\d+)/m.exec(text(parameters) ?? "")?.[1]));
}

function contextLength(info: JsonValue | undefined): number | undefined {
  if (!isJsonObject(info)) return undefined;
  const entry = Object.entries(info).find(([key]) => key.endsWith(".context_length"));
  return positive(entry?.[1]);
}

async function listLlamaCpp(baseUrl: string, ask: Ask): Promise<Found[] | undefined> {
  const root = baseUrl.replace(/\/v1$/, "");
  const [listed, props] = await Promise.all([ask(`${root}/v1/models`), ask(`${root}/props`)]);
  if (listed === undefined) return undefined;
  const window =
    positive(member(member(props, "default_generation_settings"), "n_ctx")) ?? positive(member(props, "n_ctx"));
  const modalities = member(props, "modalities");
  return objects(member(listed, "data")).flatMap((entry) => {
    const id = text(entry["id"]);
    const trained = positive(member(entry["meta"], "n_ctx_train"));
    return id === undefined
      ? []
      : [localModel(id, { window: window ?? trained, tools: true, vision: member(modalities, "vision") === true })];
  });
}

async function listLmStudio(baseUrl: string, ask: Ask): Promise<Found[] | undefined> {
  const root = baseUrl.replace(/\/v1$/, "");
  const [listed, rich] = await Promise.all([ask(`${baseUrl}/models`), ask(`${root}/api/v0/models`)]);
  if (listed === undefined) return undefined;
  const details = new Map(
    objects(member(rich, "data")).flatMap((entry) => (text(entry["id"]) ? [[text(entry["id"])!, entry]] : [])),
  );
  return objects(member(listed, "data")).flatMap((entry) => {
    const id = text(entry["id"]);
    const detail = id === undefined ? undefined : details.get(id);
    if (id === undefined || detail?.["type"] === "embeddings" || id.startsWith("text-embedding")) return [];
    const capabilities = strings(detail?.["capabilities"]);
    return [
      localModel(id, {
        window: positive(detail?.["loaded_context_length"]) ?? positive(detail?.["max_context_length"]),
        tools: capabilities.length === 0 || capabilities.includes("tool_use"),
        vision: detail?.["type"] === "vlm",
      }),
    ];
  });
}

/** The listing of every OpenAI-compatible server. Some report the context length, each under another name. */
async function listCompatible(baseUrl: string, ask: Ask): Promise<Found[] | undefined> {
  const listed = await ask(`${baseUrl}/models`);
  if (listed === undefined) return undefined;
  return objects(member(listed, "data")).flatMap((entry) => {
    const id = text(entry["id"]);
    if (id === undefined || /embed/i.test(id)) return [];
    const window = ["max_model_len", "context_length", "context_window", "max_context_length"]
      .map((key) => positive(entry[key]))
      .find((length) => length !== undefined);
    return [localModel(id, { window, tools: true, vision: false })];
  });
}

function localModel(
  id: string,
  facts: { window: number | undefined; tools: boolean; vision: boolean; thinking?: ThinkingInfo },
): Found {
  return {
    id,
    displayName: id,
    contextWindow: facts.window ?? defaultWindow,
    supportsTools: facts.tools,
    supportsVision: facts.vision,
    supportsReasoning: facts.thinking !== undefined,
    input: facts.vision ? ["text", "image"] : ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    aliases: [],
    ...(facts.thinking === undefined ? {} : { thinking: facts.thinking }),
  };
}

function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}
function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}
function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
function positive(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}
