// Finds which part of a system prompt comes from where. The prompt is a single text by the time it is sent, so we
// search its parts by their first words, once, when it is rendered.

import type { PromptPart } from "../contract/prompt-part.ts";

const BASE_PROMPT = "base prompt";
const USER_INSTRUCTIONS = "user instructions";

interface PromptSources {
  /** Sections of the host, in order, before the instruction files. */
  readonly sections?: readonly { readonly name: string; readonly text: string }[] | undefined;
  /** Paths of the instruction files in the order of the prompt, which has each below a heading with its path. */
  readonly instructionFiles?: readonly string[] | undefined;
  /** Texts that end the prompt, in order. */
  readonly userInstructions: readonly string[];
}

export const instructionsHeading = (path: string): string => `# ${path}\n\n`;

export function promptParts(prompt: string, sources: PromptSources): PromptPart[] {
  const { sections = [], instructionFiles = [], userInstructions } = sources;
  const starts: { readonly at: number; readonly kind: PromptPart["kind"]; readonly name: string }[] = [];
  let from = 0;
  for (const { name, text } of sections) {
    const at = prompt.indexOf(text.trim(), from);
    // A host's own profile may omit it.
    if (at === -1) continue;
    starts.push({ at, kind: "prompt", name });
    from = at + text.trim().length;
  }
  for (const path of instructionFiles) {
    const heading = instructionsHeading(path);
    const at = prompt.indexOf(heading, from);
    // The beginning of this file was dropped to save space.
    if (at === -1) continue;
    starts.push({ at, kind: "instructions", name: path });
    from = at + heading.length;
  }
  for (const text of userInstructions) {
    const at = text.trim() === "" ? -1 : prompt.lastIndexOf(text.trim());
    if (at < from) continue;
    starts.push({ at, kind: "prompt", name: USER_INSTRUCTIONS });
    from = at;
  }
  const first = { at: 0, kind: "prompt" as const, name: BASE_PROMPT };
  return [first, ...starts].flatMap(({ at, kind, name }, index) => {
    const characters = (starts[index]?.at ?? prompt.length) - at;
    return characters > 0 ? [{ kind, name, characters }] : [];
  });
}
