// The families of models by name. Each is loaded when it is needed, because a run uses only one.

import type { Family } from "./define.ts";
import { anthropic } from "./families/anthropic.ts";
import { gemini } from "./families/gemini.ts";
import { lathe } from "./families/lathe.ts";
import { minimal } from "./families/minimal.ts";
import { openai } from "./families/openai.ts";

/** The names of the families. */
export type FamilyName = "anthropic" | "openai" | "gemini" | "lathe" | "minimal";

/** The built-in families of models, each with the tools and prompt that its models know best. */
export const FAMILIES: Readonly<Record<FamilyName, Family>> = {
  get anthropic() {
    return anthropic;
  },
  get openai() {
    return openai;
  },
  get gemini() {
    return gemini;
  },
  get lathe() {
    return lathe;
  },
  get minimal() {
    return minimal;
  },
};

/** A smaller window has no room for the descriptions of the larger toolset. */
const LEAST_WINDOW = 32_000;

/** Chosen by the model's name, whichever provider serves it; for an unknown model, by its window. */
export function familyOf(model: string, contextWindow = LEAST_WINDOW): FamilyName {
  const name = model.toLowerCase();
  if (name.includes("claude")) return "anthropic";
  if (name.includes("gemini")) return "gemini";
  if (/(^|[/.])(gpt-|o[134]\b|codex)/.test(name)) return "openai";
  return contextWindow >= LEAST_WINDOW ? "lathe" : "minimal";
}
