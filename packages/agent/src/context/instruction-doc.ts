// An instruction file as the prompt has it.

/** An instruction file. */
export interface InstructionDoc {
  /** As the model sees it. */
  readonly path: string;
  readonly text: string;
}
