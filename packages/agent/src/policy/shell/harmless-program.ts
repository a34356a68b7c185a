// The format of the lists of harmless programs.

/** The meaning of the words that are not options. */
export type Operands =
  /** Text that is only printed or compared. */
  | "text"
  /** Files that are read. */
  | "read"
  /** The first one is a pattern or a program text, the others are files that are read. */
  | "pattern"
  /** Files that are created or changed. */
  | "write"
  /** Files that are read and changed; the last one is their destination. */
  | "move"
  | "copy"
  | "none";

export interface HarmlessProgram {
  /** See options.ts; `*`: every word is text, even if it looks like an option. */
  readonly options: string;
  readonly operands: Operands;
  /** Maximum number of operands. */
  readonly most?: number;
  /** It reads no options after its first operand. */
  readonly stops?: boolean;
  /** See options.ts. */
  readonly isDetached?: boolean;
  /** Options that replace the pattern operand. */
  readonly patternOptions?: readonly string[];
  /** None of its options does harm, not even one that is unknown until it runs. */
  readonly isLenient?: boolean;
  /** What every operand must match. */
  readonly each?: RegExp;
  /** What the operands, joined by blanks, must match; only a few subcommands of these programs are listed. */
  readonly joined?: RegExp;
  /** One of these options is required; `otherwise` is what the program does without, as a clause. */
  readonly needs?: { readonly options: readonly string[]; readonly otherwise: string };
  /** What every value of an option must match. */
  readonly values?: RegExp;
  /** The first operand, or the value of these options, must be a plain script in this language. */
  readonly language?: "sed" | "awk" | "jq";
}
