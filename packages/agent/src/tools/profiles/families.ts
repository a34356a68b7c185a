// The families of models by name. Each is looked at when it is asked for: a run needs one of them.

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

/** A smaller window has no room for the descriptions of the larger set. */
const LEAST_WINDOW = 32_000;

/** By what the model is called, whichever provider serves it; by its window when it is of no known family. */
export function familyOf(model: string, contextWindow = LEAST_WINDOW): FamilyName {
  const name = model.toLowerCase();
  if (name.includes("claude")) return "anthropic";
  if (name.includes("gemini")) return "gemini";
  if (/(^|[/.])(gpt-|o[134]\b|codex)/.test(name)) return "openai";
  return contextWindow >= LEAST_WINDOW ? "lathe" : "minimal";
}
