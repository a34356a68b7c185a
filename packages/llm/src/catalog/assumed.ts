// What is assumed of a model that the catalog does not know.

import type { Api, ModelInfo, ThinkingInfo } from "../types/model.ts";
import type { Catalog } from "./index.ts";

/** What can be said of any model: nothing that a small or old one lacks. */
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
 * A model whose id begins like others of the provider is newer than our data: it can do, and refuses, what the newest of
 * them does. Of any other only the way of asking for effort is known. Prices and dates are not guessed.
 */
export function assumedModel(catalog: Catalog, provider: string, id: string, api: Api | undefined): ModelInfo {
  const newest = newestOfFamily(catalog.list(provider), id);
  const thinking = assumedThinking(api, id);
  if (newest === undefined) return { ...unknownModel(id, provider), ...(thinking && { thinking }) };
  const abilities: Partial<Record<keyof ModelInfo, unknown>> = { ...newest };
  for (const fact of OWN_FACTS) delete abilities[fact];
  const known = newest.thinking ?? thinking;
  // Without levels: the levels may differ from the newest model's, so the caller's word is sent unchanged.
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

/** What is true of one model and of no other. */
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

/** `claude` of claude-opus-5, `o` of o3, `anthropic` of a gateway's anthropic/claude-opus-5. */
function familyOf(id: string): string {
  return /^(?:(?:us|eu|au|jp|apac|global|us-gov)\.)?([a-z]+)/i.exec(id)?.[1]?.toLowerCase() ?? "";
}

/** The vendor's newest way of asking for effort; undefined where there is none that every model takes. */
function assumedThinking(api: Api | undefined, id: string): ThinkingInfo | undefined {
  if (api === "ollama-chat") return ollamaThinking(id);
  // The maker is part of an id on Bedrock, and other makers' models refuse Claude's fields. Profiles do not name it.
  if (api === "bedrock-converse-stream" && !/\banthropic\.|^arn:/.test(id)) return undefined;
  if (api === "anthropic-messages" || api === "bedrock-converse-stream") return { mode: "adaptive" };
  return { mode: api === "google-generative-ai" || api === "google-vertex" ? "level" : "effort" };
}

/** Of models that Ollama serves: gpt-oss takes levels, everything else can only be switched and refuses a level. */
export function ollamaThinking(id: string): ThinkingInfo {
  return id.includes("gpt-oss")
    ? { mode: "effort", levels: ["low", "medium", "high"], defaultLevel: "medium" }
    : { mode: "toggle", levels: ["off", "high"], defaultLevel: "high" };
}
