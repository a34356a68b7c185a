// What travels to and from the task that searches code by its structure.

import type { TaskInput } from "../types.ts";

/** A pattern, and what to put in place of its matches. */
export interface StructureRule {
  readonly pattern: string;
  readonly out?: string | undefined;
}

export interface StructureInput extends TaskInput {
  readonly rules: readonly StructureRule[];
  readonly files: readonly { readonly grammar: string; readonly text: string }[];
  /** Matches of all files together that are given back; the others are only counted. */
  readonly most: number;
  /** Packages with further grammars, by the name of the grammar. */
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
  /** The rule's `out`, filled. */
  readonly replacement?: string | undefined;
}

export interface StructureAnswer {
  /** In the order of the input; in each file in the order of the text. */
  readonly files: readonly {
    readonly matches: readonly StructureMatch[];
    readonly total: number;
    /** Only known of files with matches, where there is something to replace. */
    readonly isBroken: boolean;
  }[];
  /** Patterns that are none in a grammar. */
  readonly problems: readonly { readonly grammar: string; readonly pattern: string; readonly why: string }[];
  /** Grammars whose package is not installed. */
  readonly missing: readonly string[];
}
