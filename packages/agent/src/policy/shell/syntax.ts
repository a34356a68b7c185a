// The meaning of bash text, as data: the statements of a script and the words they consist of.

/** Text that may expand to something else. Offsets refer to the parsed text. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** The value after quote removal. Parts unknown until the command runs stay as written. */
  readonly value: string;
  /** The certain beginning of the word. */
  readonly lead: string;
  readonly isKnown: boolean;
  /** It may expand to several words, or none. */
  readonly isSplit: boolean;
  /** It is split at blanks that only appear when it runs, so its further words may begin with anything. */
  readonly hasBlanks: boolean;
  readonly isQuoted: boolean;
  /** `name=…` or `name+=…`; its position decides whether it is an assignment. */
  readonly assignment?: { readonly name: string; readonly value: string; readonly isArray: boolean } | undefined;
  readonly inner: readonly Inner[];
}

/** What runs while a word is expanded. */
export type Inner =
  | { readonly kind: "script"; readonly script: Script; readonly start: number }
  | { readonly kind: "variable"; readonly name: string; readonly assigns: boolean }
  | { readonly kind: "arithmetic"; readonly names: readonly string[]; readonly assigned: readonly string[] };

export interface Redirect {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  /** Undefined for a here-document. */
  readonly target?: Word | undefined;
  /** Body of a here-document. */
  readonly body?: Word | undefined;
}

export interface SimpleCommand {
  readonly kind: "simple";
  readonly start: number;
  readonly end: number;
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

interface Compound {
  readonly redirects: readonly Redirect[];
  readonly start: number;
  readonly end: number;
}

export type Command =
  | SimpleCommand
  | ({ readonly kind: "subshell" | "group"; readonly body: Script } & Compound)
  /** Conditions and bodies in textual order. */
  | ({ readonly kind: "if"; readonly bodies: readonly Script[] } & Compound)
  | ({ readonly kind: "while"; readonly condition: Script; readonly body: Script } & Compound)
  | ({ readonly kind: "for"; readonly name: string; readonly words: readonly Word[]; readonly body: Script } & Compound)
  | ({ readonly kind: "count"; readonly inner: readonly Inner[]; readonly body: Script } & Compound)
  | ({ readonly kind: "case"; readonly words: readonly Word[]; readonly bodies: readonly Script[] } & Compound)
  | ({ readonly kind: "function"; readonly name: string; readonly body: Command } & Compound)
  | ({ readonly kind: "test"; readonly words: readonly Word[] } & Compound)
  | ({ readonly kind: "arithmetic"; readonly inner: readonly Inner[] } & Compound);

export interface Pipeline {
  readonly commands: readonly Command[];
  /** Position of a preceding `time`. */
  readonly timedAt?: number | undefined;
}

export interface Statement {
  /** Joined by `&&` and `||`. */
  readonly pipelines: readonly Pipeline[];
  /** The operator before each pipeline except the first. */
  readonly operators: readonly ("&&" | "||")[];
  readonly isBackground: boolean;
}

export interface Script {
  readonly statements: readonly Statement[];
}

/** Why a text cannot be decided: thrown while parsing, and caught where the analysis begins. */
export class ShellDoubt extends Error {}

/** Text being parsed; a substitution in backticks ends before the text does. */
export interface Cursor {
  readonly text: string;
  readonly end: number;
  position: number;
  /** Here-documents whose bodies begin on the next line; one list per level of substitution. */
  pending: { readonly delimiter: string; readonly isLiteral: boolean; readonly stripsTabs: boolean; body?: Word }[];
  /** An enclosing level waits for the body of a here-document. */
  readonly isAwaited: boolean;
  readonly depth: number;
  readonly home: string | undefined;
  readonly comments: number[];
  readonly dialect: Dialect;
  /** Number of open compound commands. */
  level: number;
}

/** `posix`: what sh, dash and bash parse in the same way. */
export type Dialect = "bash" | "posix";

/** Refuses bash-only syntax if another shell will parse the text. */
export function onlyInBash({ dialect }: Cursor): void {
  if (dialect !== "bash") throw new ShellDoubt("it is written for bash, but another shell runs it");
}
