// What the index knows about a file.

/** Bytes. A larger file is indexed without definitions. */
export const LARGEST_INDEXED = 400_000;

/** A definition. */
export interface CodeDefinition {
  readonly name: string;
  readonly kind: string;
  /** From 1. */
  readonly line: number;
  /** The class, function or module that contains it; empty at the top level. */
  readonly inside: string;
  /** The source text on one line, without its body. */
  readonly signature: string;
}

/** The facts about a file, and its size and time before it was read. */
export interface CodeFacts {
  /** Relative to the root of the index. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly definitions: readonly CodeDefinition[];
  /** Every name in the code, including definitions, and the lines on which it occurs, from 1. */
  readonly references: readonly (readonly [name: string, lines: readonly number[]])[];
  /**
   * Other files as this one refers to them, with `/` between the parts; a path that begins with a dot is relative to
   * this file.
   */
  readonly imports: readonly (readonly [specifier: string, isReexport: boolean])[];
  /** Names by which other files may refer to files of this package, and their paths relative to the root. */
  readonly aliases: readonly (readonly [specifier: string, path: string])[];
}
