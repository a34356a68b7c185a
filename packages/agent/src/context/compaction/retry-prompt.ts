// Tells a model why its summary or briefing cannot be used.

import again from "./prompts/again.md";

export const retryPrompt = (what: "summary" | "briefing", problem: string): string =>
  again
    .trim()
    .replace("{{what}}", what)
    .replace("{{problem}}", () => problem);
