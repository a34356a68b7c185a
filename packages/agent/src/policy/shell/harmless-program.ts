// How the lists of harmless programs are written.

/** What the words that are no options mean. */
export type Operands =
  /** Texts that are only printed or compared. */
  | "text"
  /** Files that are read. */
  | "read"
  /** The first one is a pattern or a program text, the others are files that are read. */
  | "pattern"
  /** Files that are made or changed. */
  | "write"
  /** Read and changed; the last one is where they go. */
  | "move"
  | "copy"
  | "none";

export interface HarmlessProgram {
  /** See options.ts; `*`: every word is a text, also one that looks like an option. */
  readonly options: string;
  readonly operands: Operands;
  /** The most operands it may have. */
  readonly most?: number;
  /** It reads no options behind its first operand. */
  readonly stops?: boolean;
  /** See options.ts. */
  readonly isDetached?: boolean;
  /** These take the place of the pattern. */
  readonly patternOptions?: readonly string[];
  /** No option of it does harm, also not one that is only known when it runs. */
  readonly isLenient?: boolean;
  /** What every operand must look like. */
  readonly each?: RegExp;
  /** What the operands must be, joined by blanks; of these programs only a few subcommands are listed. */
  readonly joined?: RegExp;
  /** One of these options must be there; `otherwise` is what it does without, as a clause. */
  readonly needs?: { readonly options: readonly string[]; readonly otherwise: string };
  /** What every value of an option must look like. */
  readonly values?: RegExp;
  /** The text of the first operand, or of these options, must be a plain script of this language. */
  readonly language?: "sed" | "awk" | "jq";
}
