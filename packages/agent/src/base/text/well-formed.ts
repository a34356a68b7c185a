// Text that every vendor accepts. Half of a surrogate pair, left by splitting text in the middle of a character, makes
// a request invalid, and every later request that repeats it.

import type { ContentPart } from "@lathe/llm";

declare global {
  // ECMAScript 2024, present since Node 20.
  interface String {
    toWellFormed(): string;
  }
}

/** Replaces each lone surrogate with U+FFFD. */
export const wellFormed = (text: string): string => text.toWellFormed();

/** Returns the same list if nothing had to change. */
export function wellFormedParts(parts: readonly ContentPart[]): readonly ContentPart[] {
  const fixed = parts.map((part) => {
    if (part.kind !== "text") return part;
    const text = wellFormed(part.text);
    return text === part.text ? part : { ...part, text };
  });
  return fixed.every((part, at) => part === parts[at]) ? parts : fixed;
}
