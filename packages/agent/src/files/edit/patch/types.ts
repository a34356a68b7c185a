// What every patch language says: operations on files, and hunks of kept, removed and added lines.

export type PatchOperation =
  | { readonly kind: "add"; readonly path: string; readonly lines: readonly string[]; readonly unterminated?: boolean }
  /** Hunks, where the language has them, say what the file is believed to hold. */
  | { readonly kind: "delete"; readonly path: string; readonly hunks?: readonly Hunk[] }
  | { readonly kind: "update"; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] };

export interface Hunk {
  readonly hints: readonly string[];
  readonly body: readonly Change[];
  /** `*** End of File` closed the hunk. */
  readonly atEnd: boolean;
  /** How many lines at the end of the body were wholly empty: context, or only a gap before the next marker. */
  readonly looseTail: number;
  /** 0-based line of the old text where the patch says the hunk begins. */
  readonly oldLine?: number;
  /** The patch says that the file gains or loses the line break at its very end. */
  readonly finalBreak?: "gained" | "lost";
}

export interface Change {
  readonly kind: " " | "-" | "+";
  readonly text: string;
}

/** `where` names the place in the patch; `message` is a sentence. */
export class PatchSyntaxError extends Error {
  constructor(line: number, message: string) {
    super(`Patch line ${line}: ${message}`);
  }
}
