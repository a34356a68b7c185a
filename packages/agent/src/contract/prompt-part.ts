/** A stretch of the system prompt; together the stretches cover the prompt without gaps. */
export interface PromptPart {
  readonly kind: "prompt" | "instructions";
  /** Path of an instruction file, otherwise a description. */
  readonly name: string;
  readonly characters: number;
}
