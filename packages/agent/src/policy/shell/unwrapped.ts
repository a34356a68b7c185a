// What a program that runs another program would run.

import type { ShellWord } from "./shell-words.ts";
import type { Dialect } from "./syntax.ts";

/** What a wrapper would run. */
export interface Wrapped {
  readonly name: string;
  /** The program and its arguments, or a text for a shell. */
  readonly inner:
    | { readonly words: readonly ShellWord[]; readonly at?: number }
    | { readonly script: string; readonly dialect: Dialect };
  /** Other commands that it also runs (`find` with several -exec). */
  readonly more?: readonly (readonly ShellWord[])[];
  readonly assignments?: readonly ShellWord[];
  /** Files that the wrapper itself creates. */
  readonly makes?: readonly ShellWord[];
  /** It changes the user or machine, so a rule must name the wrapper. */
  readonly isElsewhere?: boolean;
  /** The wrapper is judged as well, for its own effects. */
  readonly isJudged?: boolean;
  /** The directory it runs in; an undefined path is unknown. */
  readonly directory?: { readonly path: string | undefined };
}

/** `doubt`: it runs something that cannot be determined. Undefined: not a wrapper. */
export type Unwrapped = Wrapped | { readonly doubt: string } | undefined;
