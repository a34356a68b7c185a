// Effort levels: their order, and how a requested level becomes one that the model supports.

import type { ModelInfo, ThinkingInfo, ThinkingLevel } from "../types/model.ts";

/** The effort levels, weakest first. */
export const thinkingLevels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Whether a word is one of the effort levels. */
export function isThinkingLevel(text: string): text is ThinkingLevel {
  return (thinkingLevels as readonly string[]).includes(text);
}

/** The levels that a model offers, weakest first; undefined if nothing is known about them. */
export function offeredLevels(info: ThinkingInfo | undefined): readonly ThinkingLevel[] | undefined {
  if (!info) return undefined;
  if (info.levels && info.levels.length > 0) return thinkingLevels.filter((level) => info.levels!.includes(level));
  if (info.minLevel === undefined && info.maxLevel === undefined) return undefined;
  const from = thinkingLevels.indexOf(info.minLevel ?? "off");
  const to = thinkingLevels.indexOf(info.maxLevel ?? "max");
  return thinkingLevels.slice(from, to + 1);
}

/**
 * Returns the requested level if it is offered, otherwise the strongest offered level below it, otherwise the weakest.
 * Unknown words pass unchanged.
 */
export function clampLevel(info: ThinkingInfo | undefined, wish: string): string {
  const offered = offeredLevels(info);
  if (!isThinkingLevel(wish) || !offered || offered.length === 0) return wish;
  if (offered.includes(wish)) return wish;
  const rank = thinkingLevels.indexOf(wish);
  const below = offered.filter((level) => level !== "off" && thinkingLevels.indexOf(level) < rank).at(-1);
  return below ?? offered.find((level) => level !== "off") ?? "off";
}

/**
 * Whether an effort may be sent. For models outside the catalog, `thinking` has no levels and the caller's word is
 * used.
 */
export function takesEffort(model: ModelInfo): boolean {
  return model.supportsReasoning || model.thinking !== undefined;
}
