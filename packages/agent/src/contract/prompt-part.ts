/** A stretch of the system prompt; the stretches of a prompt follow each other without gaps. */
export interface PromptPart {
  readonly kind: "prompt" | "instructions";
  /** Path of an instruction file, else what it is. */
  readonly name: string;
  readonly characters: number;
}
