// The families of models by name. Each is looked at when it is asked for: a run needs one of them.

import type { Family } from "./define.ts";
import { anthropic } from "./families/anthropic.ts";
import { gemini } from "./families/gemini.ts";
import { minimal } from "./families/minimal.ts";
import { openai } from "./families/openai.ts";

export const FAMILIES = {
  get anthropic() {
    return anthropic;
  },
  get openai() {
    return openai;
  },
  get gemini() {
    return gemini;
  },
  get minimal() {
    return minimal;
  },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;

/** Families by what the model is called, whoever serves it. */
const BY_MODEL: readonly (readonly [RegExp, FamilyName])[] = [
  [/claude/i, "anthropic"],
  [/gemini/i, "gemini"],
  [/(^|[/.])(gpt-|o[134]\b|codex)/i, "openai"],
];

export function familyOf(model: string): FamilyName {
  return BY_MODEL.find(([pattern]) => pattern.test(model))?.[1] ?? "minimal";
}
