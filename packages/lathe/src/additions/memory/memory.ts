// A memory: one fact that a session left for later ones, its source, and the files that support it. Data and pure
// functions.

/** A file as it was when the memory was made. */
export interface RestsOn {
  /** Relative to the project, or absolute if outside it. */
  readonly path: string;
  /** SHA-256 of its bytes. */
  readonly digest: string;
}

/** `retained`: the model stored it during its work. `extracted`: it was read from the session later. */
export type MemoryOrigin = "retained" | "extracted";

export interface NewMemory {
  /** The project's folder; `SHARED` for all projects. */
  readonly project: string;
  readonly text: string;
  readonly origin: MemoryOrigin;
  /** Id of the session that it comes from, and the entry there. */
  readonly session: string;
  readonly entry: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly files: readonly RestsOn[];
}

export interface Memory extends NewMemory {
  readonly id: number;
}

/** The project of memories that all projects share. */
export const SHARED = "";

/** A memory is one statement; longer texts belong in a file of the project. */
export const LONGEST_TEXT = 600;

export type Scoping = "global" | "per-project" | "per-project-tagged";

/** The project under which a memory is stored. */
export const projectFor = (scoping: Scoping, project: string, isShared: boolean): string =>
  scoping === "global" || isShared ? SHARED : project;

/** The projects whose memories this project sees. */
export function projectsSeen(scoping: Scoping, project: string): readonly string[] {
  if (scoping === "global") return [SHARED];
  return scoping === "per-project" ? [project] : [project, SHARED];
}

/**
 * Makes a text one line: a memory must not contain control characters, line breaks, invisible characters or the tags of
 * our own blocks.
 */
export const cleanText = (text: string): string =>
  text
    .replace(/[\p{Cf}\p{Variation_Selector}]|\u034f|[\u115f\u1160\u3164\uffa0]/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/<(?=\/?(?:memory|environment|system)\b)/gi, "‹")
    .trim();

export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
