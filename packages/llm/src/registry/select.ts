// Finds the model that a user's text means: exact forms first, tolerant ones after, with an optional effort at the end.

import { findRow } from "../catalog/provider-rows.ts";
import { clampLevel, isThinkingLevel } from "../catalog/thinking.ts";
import type { ModelInfo } from "../types/model.ts";
import { defaultModels } from "./defaults.ts";
import type { Registry } from "./registry.ts";

/** How a selector matched its model. */
export type MatchKind = "exact" | "canonical" | "bare" | "assumed" | "glob" | "fuzzy";

/** The model that a selector means, and how it was found. */
export interface Selection {
  readonly model: ModelInfo;
  readonly match: MatchKind;
  /** Clamped to the levels that the model supports. */
  readonly effort?: string | undefined;
}

/**
 * Accepts `provider/id`, canonical id, bare id or alias, glob, part of a name; each with an optional `:effort` at the
 * end.
 */
export function selectModel(registry: Registry, selector: string): Selection | undefined {
  const text = selector.trim();
  if (text === "") return undefined;
  const whole = matchExactly(registry, text);
  if (whole) return whole;
  const { pattern, effort } = splitEffort(text);
  const found =
    (effort === undefined ? undefined : matchExactly(registry, pattern)) ??
    assumeModel(registry, pattern) ??
    matchLoosely(registry, pattern);
  if (!found) return undefined;
  return effort === undefined ? found : { ...found, effort: clampLevel(found.model.thinking, effort) };
}

/** The models that a list of patterns covers, in order and without repetition. A canonical id covers its variants. */
export function expandModels(registry: Registry, patterns: readonly string[]): readonly Selection[] {
  const chosen = new Map<string, Selection>();
  for (const written of patterns) {
    const { pattern, effort } = splitEffort(written.trim());
    for (const { model, match } of matches(registry, pattern)) {
      const key = `${model.provider}/${model.id}`;
      if (chosen.has(key)) continue;
      chosen.set(key, {
        model,
        match,
        ...(effort === undefined ? {} : { effort: clampLevel(model.thinking, effort) }),
      });
    }
  }
  return [...chosen.values()];
}

/** Candidates for a session's first model, highest priority first. */
export interface InitialChoice {
  readonly explicit?: string | undefined;
  /** Patterns that limit the choice; ignored when a session is resumed. */
  readonly scoped?: readonly string[] | undefined;
  readonly resuming?: boolean | undefined;
  readonly saved?: string | undefined;
}

/**
 * The requested model, otherwise the first scoped one, otherwise the saved default, otherwise (without a scope) a
 * provider's usual model, otherwise any.
 */
export function initialModel(registry: Registry, choice: InitialChoice = {}): Selection | undefined {
  if (choice.explicit !== undefined) return selectModel(registry, choice.explicit);
  const scope = choice.resuming ? [] : (choice.scoped ?? []);
  const scoped = expandModels(registry, scope);
  const usable = scoped.find(({ model }) => registry.isAvailable(model.provider));
  if (usable) return usable;
  const saved = choice.saved === undefined ? undefined : selectModel(registry, choice.saved);
  if (saved && registry.isAvailable(saved.model.provider)) return saved;
  // A scope excludes every model outside it.
  if (scope.length > 0) return undefined;
  for (const [provider, id] of Object.entries(defaultModels)) {
    const model = registry.isAvailable(provider) ? registry.get(provider, id) : undefined;
    if (model) return { model, match: "exact" };
  }
  const [any] = registry.available();
  return any && { model: any, match: "exact" };
}

/** Only a known level after the last colon is an effort, because ids may contain colons. */
function splitEffort(text: string): { pattern: string; effort?: string } {
  const colon = text.lastIndexOf(":");
  const tail = text.slice(colon + 1);
  return colon > 0 && isThinkingLevel(tail) ? { pattern: text.slice(0, colon), effort: tail } : { pattern: text };
}

function matchExactly(registry: Registry, text: string): Selection | undefined {
  const slash = text.indexOf("/");
  const concrete = slash > 0 ? registry.get(text.slice(0, slash), text.slice(slash + 1)) : undefined;
  if (concrete) return { model: concrete, match: "exact" };
  const [canonical] = registry.variants(text);
  if (canonical) return { model: canonical, match: "canonical" };
  const [bare] = registry.preferredModels(
    registry.all().filter(({ id, aliases }) => id === text || aliases.includes(text)),
  );
  return bare && { model: bare, match: "bare" };
}

/** A known provider may have models that our catalog lacks. */
function assumeModel(registry: Registry, text: string): Selection | undefined {
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1 || /[*?]/.test(text)) return undefined;
  const provider = text.slice(0, slash);
  if (!registry.knows(provider) || findRow(provider)?.unsupported !== undefined) return undefined;
  return { model: registry.assume(provider, text.slice(slash + 1)), match: "assumed" };
}

function matchLoosely(registry: Registry, pattern: string): Selection | undefined {
  if (namesUnknownProvider(registry, pattern)) return undefined;
  const [first] = /[*?]/.test(pattern) ? matchGlob(registry, pattern) : fuzzy(registry, pattern);
  return first && { model: first, match: /[*?]/.test(pattern) ? "glob" : "fuzzy" };
}

/**
 * The text before a slash is a provider or the maker in a gateway's ids. Anything else is a typo: its letters occur in
 * some model's name, and a fuzzy match would select a model that the user did not ask for.
 */
function namesUnknownProvider(registry: Registry, pattern: string): boolean {
  const slash = pattern.indexOf("/");
  if (slash < 0 || /[*?]/.test(pattern)) return false;
  const before = pattern.slice(0, slash + 1).toLowerCase();
  return (
    !registry.knows(pattern.slice(0, slash)) && !registry.all().some(({ id }) => id.toLowerCase().startsWith(before))
  );
}

function matches(registry: Registry, pattern: string): readonly { model: ModelInfo; match: MatchKind }[] {
  const as = (match: MatchKind) => (model: ModelInfo) => ({ model, match });
  if (/[*?]/.test(pattern)) return matchGlob(registry, pattern).map(as("glob"));
  const slash = pattern.indexOf("/");
  const concrete = slash > 0 ? registry.get(pattern.slice(0, slash), pattern.slice(slash + 1)) : undefined;
  if (concrete) return [as("exact")(concrete)];
  const variants = registry.variants(pattern);
  if (variants.length > 0) return variants.map(as("canonical"));
  return fuzzy(registry, pattern).map(as("fuzzy"));
}

function matchGlob(registry: Registry, pattern: string): readonly ModelInfo[] {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*/g, ".*")
    .replace(/\?/g, ".");
  const regex = new RegExp(`^${source}$`, "i");
  return registry.preferredModels(
    registry.all().filter(({ provider, id }) => regex.test(`${provider}/${id}`) || regex.test(id)),
  );
}

/** Every word of the pattern must occur. Among the matches of one rank the newest wins, then the shortest id. */
function fuzzy(registry: Registry, pattern: string): readonly ModelInfo[] {
  const words = pattern
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean);
  if (words.length === 0) return [];
  const found = registry.all().filter(({ provider, id, displayName }) => {
    const text = `${provider}/${id} ${displayName}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const newest = [...found].sort(
    (a, b) => (b.releaseDate ?? "").localeCompare(a.releaseDate ?? "") || a.id.length - b.id.length,
  );
  return registry.preferredModels(newest);
}
