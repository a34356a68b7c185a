// A memory: one fact that a session has left for later ones, where it comes from, and the files that it rests on. Data and pure functions.

/** A file as it was when the memory was made. */
export interface RestsOn {
  /** Relative to the project, else absolute. */
  readonly path: string;
  /** SHA-256 of its bytes. */
  readonly digest: string;
}

/** `retained`: the model kept it while it worked. `extracted`: it was read out of a session later. */
export type MemoryOrigin = "retained" | "extracted";

export interface NewMemory {
  /** The folder of the project; `SHARED` for all projects. */
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

/** A memory is one statement; what is longer belongs into a file of the project. */
export const LONGEST_TEXT = 600;

export type Scoping = "global" | "per-project" | "per-project-tagged";

/** Where a memory of this project goes. */
export const projectFor = (scoping: Scoping, project: string, isShared: boolean): string =>
  scoping === "global" || isShared ? SHARED : project;

/** Whose memories this project sees. */
export function projectsSeen(scoping: Scoping, project: string): readonly string[] {
  if (scoping === "global") return [SHARED];
  return scoping === "per-project" ? [project] : [project, SHARED];
}

/** One line: control characters, line breaks, what nobody sees and marks of our own blocks cannot be part of a memory. */
export const cleanText = (text: string): string =>
  text
    .replace(/[\p{Cf}\p{Variation_Selector}]|\u034f|[\u115f\u1160\u3164\uffa0]/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/<(?=\/?(?:memory|environment|system)\b)/gi, "‹")
    .trim();

export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
