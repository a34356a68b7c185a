// The messages to and from the task that searches code by structure.

import type { TaskInput } from "../types.ts";

/** A pattern, and the replacement of its matches. */
export interface StructureRule {
  readonly pattern: string;
  readonly out?: string | undefined;
}

export interface StructureInput extends TaskInput {
  readonly rules: readonly StructureRule[];
  readonly files: readonly { readonly grammar: string; readonly text: string }[];
  /** Maximum number of matches returned, over all files; others are only counted. */
  readonly most: number;
  /** Packages with additional grammars, by grammar name. */
  readonly packages: Readonly<Record<string, string>>;
}

export interface StructureMatch {
  /** Offsets into the text. */
  readonly start: number;
  readonly end: number;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly lastLine: number;
  /** The rule's `out` with captures inserted. */
  readonly replacement?: string | undefined;
}

export interface StructureAnswer {
  /** In the order of the input; within a file, in text order. */
  readonly files: readonly {
    readonly matches: readonly StructureMatch[];
    readonly total: number;
    /** Only known for files with matches, if the rule replaces something. */
    readonly isBroken: boolean;
  }[];
  /** Patterns that are invalid in a grammar. */
  readonly problems: readonly { readonly grammar: string; readonly pattern: string; readonly why: string }[];
  /** Grammars whose package is not installed. */
  readonly missing: readonly string[];
}
