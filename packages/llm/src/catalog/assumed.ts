// Assumptions about a model that the catalog does not know.

import type { Api, ModelInfo, ThinkingInfo } from "../types/model.ts";
import type { Catalog } from "./index.ts";

/** A conservative description that fits any model, even a small or old one. */
export function unknownModel(id: string, provider: string): ModelInfo {
  return {
    id,
    provider,
    displayName: id,
    contextWindow: 128_000,
    supportsTools: true,
    supportsVision: true,
    supportsReasoning: false,
    input: ["text", "image"],
    aliases: [],
  };
}

/**
 * If an id begins like others of the provider, the model is probably newer than our data: we assume that it can do, and
 * refuses, what the newest of them does. For other ids we only assume how the provider takes effort. Prices and dates
 * are never guessed.
 */
export function assumedModel(catalog: Catalog, provider: string, id: string, api: Api | undefined): ModelInfo {
  const newest = newestOfFamily(catalog.list(provider), id);
  const thinking = assumedThinking(api, id);
  if (newest === undefined) return { ...unknownModel(id, provider), ...(thinking && { thinking }) };
  const abilities: Partial<Record<keyof ModelInfo, unknown>> = { ...newest };
  for (const fact of OWN_FACTS) delete abilities[fact];
  const known = newest.thinking ?? thinking;
  // Without levels: they may differ from the newest model's, so the caller's word is sent unchanged.
  const asked = known && { mode: known.mode, ...(known.display === undefined ? {} : { display: known.display }) };
  return {
    ...(abilities as ModelInfo),
    id,
    provider,
    displayName: id,
    aliases: [],
    ...(asked && { thinking: asked }),
  };
}

/** Facts that are true of one model only. */
const OWN_FACTS = [
  ...(["cost", "inputCostPerMillion", "outputCostPerMillion", "releaseDate", "knowledgeCutoff"] as const),
  ...(["contextPromotionTarget", "wireModelId"] as const),
];

function newestOfFamily(models: readonly ModelInfo[], id: string): ModelInfo | undefined {
  const family = familyOf(id);
  if (family === "") return undefined;
  return models
    .filter((model) => familyOf(model.id) === family)
    .reduce<ModelInfo | undefined>(
      (best, model) => (best && (best.releaseDate ?? "") >= (model.releaseDate ?? "") ? best : model),
      undefined,
    );
}

/** `claude` for claude-opus-5, `o` for o3, `anthropic` for a gateway's anthropic/claude-opus-5. */
function familyOf(id: string): string {
  return /^(?:(?:us|eu|au|jp|apac|global|us-gov)\.)?([a-z]+)/i.exec(id)?.[1]?.toLowerCase() ?? "";
}

/** How the vendor's newest models take effort; undefined if there is no form that all models accept. */
function assumedThinking(api: Api | undefined, id: string): ThinkingInfo | undefined {
  if (api === "ollama-chat") return ollamaThinking(id);
  // On Bedrock the id contains the maker, and other makers' models refuse Claude's fields. Profile ARNs do not name it.
  if (api === "bedrock-converse-stream" && !/\banthropic\.|^arn:/.test(id)) return undefined;
  if (api === "anthropic-messages" || api === "bedrock-converse-stream") return { mode: "adaptive" };
  return { mode: api === "google-generative-ai" || api === "google-vertex" ? "level" : "effort" };
}

/** For models served by Ollama: gpt-oss takes levels; all others can only be switched on or off and refuse a level. */
export function ollamaThinking(id: string): ThinkingInfo {
  return id.includes("gpt-oss")
    ? { mode: "effort", levels: ["low", "medium", "high"], defaultLevel: "medium" }
    : { mode: "toggle", levels: ["off", "high"], defaultLevel: "high" };
}
