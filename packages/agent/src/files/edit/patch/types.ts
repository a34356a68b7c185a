// What every patch language expresses: operations on files, and hunks of kept, removed and added lines.

export type PatchOperation =
  | { readonly kind: "add"; readonly path: string; readonly lines: readonly string[]; readonly unterminated?: boolean }
  /** Hunks, if the language has them, contain the expected content of the file. */
  | { readonly kind: "delete"; readonly path: string; readonly hunks?: readonly Hunk[] }
  | { readonly kind: "update"; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] };

export interface Hunk {
  readonly hints: readonly string[];
  readonly body: readonly Change[];
  /** `*** End of File` closed the hunk. */
  readonly atEnd: boolean;
  /** Number of completely empty lines at the end of the body: context, or only a gap before the next marker. */
  readonly looseTail: number;
  /** 0-based line of the old text at which the hunk begins according to the patch. */
  readonly oldLine?: number;
  /** The patch says that the file gains or loses its final line break. */
  readonly finalBreak?: "gained" | "lost";
}

export interface Change {
  readonly kind: " " | "-" | "+";
  readonly text: string;
}

/** `where` is the position in the patch; `message` is a sentence. */
export class PatchSyntaxError extends Error {
  constructor(line: number, message: string) {
    super(`Patch line ${line}: ${message}`);
  }
}
