// One line of the catalog's data and its meaning as a ModelInfo.

import type { JsonObject } from "../types/json.ts";
import type { ModelCost, ModelInfo, OpenAICompat, ThinkingInfo, ThinkingLevel } from "../types/model.ts";
import { own } from "../types/own.ts";
import { findRow } from "./provider-rows.ts";
import { isThinkingLevel } from "./thinking.ts";

export interface CatalogRow {
  readonly id: string;
  readonly name: string;
  readonly context: number;
  readonly output?: number | undefined;
  /** Space separated; text when absent. */
  readonly input?: string | undefined;
  /** Input, output, cache read, cache write. */
  readonly price?: readonly [number, number, number, number] | undefined;
  /** The same prices for prompts with more tokens than the first number. */
  readonly longPrice?: readonly [number, number, number, number, number] | undefined;
  /** The mode, then the levels from weakest to strongest, then `+summarized` if thinking text must be requested. */
  readonly thinking?: string | undefined;
  readonly released?: string | undefined;
  readonly knowledge?: string | undefined;
  readonly aliases?: readonly string[] | undefined;
  /** `longCache`, `eagerTools`, `cachePoint`, `noTools`, `noSampling`, `samplingUnlessReasoning`, `noForcedTools`. */
  readonly flags?: string | undefined;
  /** The model with a larger window that continues when this one's overflows. */
  readonly promotion?: string | undefined;
  readonly compat?: OpenAICompat | undefined;
}

export function modelOf(provider: string, row: CatalogRow): ModelInfo {
  const input = (row.input ?? "text").split(" ") as ModelInfo["input"];
  const flags = row.flags?.split(" ") ?? [];
  const api = findRow(provider)?.api;
  const cost = costOf(row);
  return {
    id: row.id,
    provider,
    displayName: row.name,
    ...(api === undefined ? {} : { api }),
    contextWindow: row.context,
    ...(row.output === undefined ? {} : { maxOutput: row.output }),
    supportsTools: !flags.includes("noTools"),
    supportsVision: input.includes("image"),
    supportsReasoning: row.thinking !== undefined,
    input,
    ...(cost === undefined ? {} : { cost, inputCostPerMillion: cost.input, outputCostPerMillion: cost.output }),
    aliases: row.aliases ?? [],
    ...(row.thinking === undefined ? {} : { thinking: thinkingOf(row.thinking) }),
    ...(row.compat === undefined ? {} : { compat: row.compat }),
    ...(row.promotion === undefined ? {} : { contextPromotionTarget: row.promotion }),
    ...(flags.includes("longCache") ? { supportsLongCacheRetention: true } : {}),
    ...(flags.includes("eagerTools") ? { supportsEagerToolInputStreaming: true } : {}),
    ...(flags.includes("cachePoint") ? { supportsCachePoint: true } : {}),
    ...(flags.includes("noSampling") ? { sampling: "never" } : {}),
    ...(flags.includes("samplingUnlessReasoning") ? { sampling: "without-reasoning" } : {}),
    ...(flags.includes("noForcedTools") ? { refusesForcedTools: true } : {}),
    ...(row.released === undefined ? {} : { releaseDate: row.released }),
    ...(row.knowledge === undefined ? {} : { knowledgeCutoff: row.knowledge }),
  };
}

function costOf({ price, longPrice }: CatalogRow): ModelCost | undefined {
  if (!price) return undefined;
  const [input, output, cacheRead, cacheWrite] = price;
  const cost = { input, output, cacheRead, cacheWrite };
  if (!longPrice) return cost;
  const [above, ...[longInput, longOutput, longRead, longWrite]] = longPrice;
  const long = { input: longInput, output: longOutput, cacheRead: longRead, cacheWrite: longWrite };
  return { ...cost, longPrompt: { above, ...long } };
}

function thinkingOf(text: string): ThinkingInfo {
  const [mode, ...rest] = text.split(" ");
  const levels = rest.filter(isThinkingLevel);
  const spoken = levels.filter((level) => level !== "off");
  return {
    mode: mode as ThinkingInfo["mode"],
    ...(levels[0] === undefined ? {} : { minLevel: levels[0], maxLevel: levels.at(-1) as ThinkingLevel, levels }),
    ...(spoken.length === 0 ? {} : { defaultLevel: spoken.includes("medium") ? "medium" : spoken[0]! }),
    ...(rest.includes("+summarized") ? { display: "summarized" } : {}),
  };
}

/** Reads a provider of a models.dev document as rows; entries that are not chat models are skipped. */
export function rowsFromModelsDev(models: JsonObject): CatalogRow[] {
  return Object.entries(models).flatMap(([id, value]) => {
    const row = rowFromModelsDev(id, value as unknown as ModelsDevEntry);
    return row ? [row] : [];
  });
}

/** The part of a models.dev entry that we read. Every field may be missing. */
interface ModelsDevEntry {
  readonly name?: string;
  readonly limit?: { readonly context?: number; readonly output?: number };
  readonly cost?: {
    readonly input?: number;
    readonly output?: number;
    readonly cache_read?: number;
    readonly cache_write?: number;
  };
  readonly modalities?: { readonly input?: readonly string[]; readonly output?: readonly string[] };
  readonly tool_call?: boolean;
  readonly temperature?: boolean;
  readonly reasoning?: boolean;
  readonly reasoning_options?: readonly { readonly type?: string; readonly values?: readonly string[] }[];
  readonly release_date?: string;
  readonly knowledge?: string;
}

const inputNames: Readonly<Record<string, string>> = { text: "text", image: "image", audio: "audio", pdf: "document" };

function rowFromModelsDev(id: string, entry: ModelsDevEntry): CatalogRow | undefined {
  const { limit, cost, modalities } = entry;
  if (typeof limit?.context !== "number" || limit.context <= 0) return undefined;
  if (modalities?.output && !modalities.output.includes("text")) return undefined;
  const input = (modalities?.input ?? ["text"]).flatMap((name) => own(inputNames, name) ?? []);
  const thinking = entry.reasoning === true ? thinkingText(entry.reasoning_options ?? []) : undefined;
  const refusals = { noTools: entry.tool_call === false, noSampling: entry.temperature === false };
  const flags = Object.entries(refusals)
    .flatMap(([flag, refused]) => (refused ? [flag] : []))
    .join(" ");
  return {
    id,
    name: entry.name ?? id,
    context: limit.context,
    ...(typeof limit.output === "number" && limit.output > 0 ? { output: limit.output } : {}),
    input: input.includes("text") ? input.join(" ") : ["text", ...input].join(" "),
    ...(typeof cost?.input === "number" && typeof cost.output === "number"
      ? { price: [cost.input, cost.output, cost.cache_read ?? 0, cost.cache_write ?? 0] as const }
      : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(flags === "" ? {} : { flags }),
    ...(entry.release_date === undefined ? {} : { released: entry.release_date }),
    ...(entry.knowledge === undefined ? {} : { knowledge: entry.knowledge }),
  };
}

function thinkingText(options: NonNullable<ModelsDevEntry["reasoning_options"]>): string {
  const effort = options.find(({ type }) => type === "effort")?.values?.map((word) => (word === "none" ? "off" : word));
  const toggle = options.some(({ type }) => type === "toggle") ? ["off"] : [];
  const levels = effort ?? [];
  if (levels.length > 0) return ["effort", ...new Set([...toggle, ...levels])].join(" ");
  return ["toggle", ...toggle, "high"].join(" ");
}
