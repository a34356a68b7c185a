// What a program would run that runs another one.

import type { ShellWord } from "./shell-words.ts";
import type { Dialect } from "./syntax.ts";

/** What a wrapper would run. */
export interface Wrapped {
  readonly name: string;
  /** The program and its arguments, or a text for a shell. */
  readonly inner:
    | { readonly words: readonly ShellWord[]; readonly at?: number }
    | { readonly script: string; readonly dialect: Dialect };
  /** Others may be run as well (`find` with several -exec). */
  readonly more?: readonly (readonly ShellWord[])[];
  readonly assignments?: readonly ShellWord[];
  /** Files that the wrapper itself makes. */
  readonly makes?: readonly ShellWord[];
  /** Who or where it runs is another matter: a rule must name the wrapper. */
  readonly isElsewhere?: boolean;
  /** The wrapper is judged as well, for what it does itself. */
  readonly isJudged?: boolean;
  /** The directory it runs in; undefined inside: not known. */
  readonly directory?: { readonly path: string | undefined };
}

/** `doubt`: it runs something, but not what can be told. Undefined: no wrapper. */
export type Unwrapped = Wrapped | { readonly doubt: string } | undefined;
