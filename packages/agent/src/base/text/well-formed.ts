// Text that every vendor takes. Half of a surrogate pair, as splitting text in the middle of a character leaves it, makes a request
// invalid, and so every later one that repeats it.

import type { ContentPart } from "@lathe/llm";

declare global {
  // ECMAScript 2024, present since Node 20.
  interface String {
    toWellFormed(): string;
  }
}

/** Replaces each half that stands alone with U+FFFD. */
export const wellFormed = (text: string): string => text.toWellFormed();

/** The same list when nothing had to change. */
export function wellFormedParts(parts: readonly ContentPart[]): readonly ContentPart[] {
  const fixed = parts.map((part) => {
    if (part.kind !== "text") return part;
    const text = wellFormed(part.text);
    return text === part.text ? part : { ...part, text };
  });
  return fixed.every((part, at) => part === parts[at]) ? parts : fixed;
}
