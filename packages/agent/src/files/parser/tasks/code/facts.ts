// What the index knows about a file.

/** Bytes. A larger file is in the index without any definitions. */
export const LARGEST_INDEXED = 400_000;

/** A definition. */
export interface CodeDefinition {
  readonly name: string;
  readonly kind: string;
  /** From 1. */
  readonly line: number;
  /** The class, function or module that it is part of; empty at the top of a file. */
  readonly inside: string;
  /** As it is written, on one line and without its body. */
  readonly signature: string;
}

/** What was read of a file, and its size and time before that. */
export interface CodeFacts {
  /** Relative to the root of the index. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly definitions: readonly CodeDefinition[];
  /** Every name in the code, its definition included, and the lines it is on, from 1. */
  readonly references: readonly (readonly [name: string, lines: readonly number[]])[];
  /** Other files as this one names them, with `/` between the parts; a path that begins with a dot is relative to this file. */
  readonly imports: readonly (readonly [specifier: string, isReexport: boolean])[];
  /** What other files may call files of this package, and the paths of those relative to the root. */
  readonly aliases: readonly (readonly [specifier: string, path: string])[];
}
