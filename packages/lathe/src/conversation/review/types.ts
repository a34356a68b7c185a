// The data of a review: the change, the findings, and what happened to each.

import type { Usage } from "@lathe/llm";

/** A change to review. */
export interface Change {
  /** The absolute path of the repository's top folder. */
  readonly top: string;
  /** The title for people, such as `main...HEAD`. */
  readonly title: string;
  /** The side compared with: a commit or the empty tree. */
  readonly base: string;
  /** The commit with the reviewed files; undefined: the files on disk. */
  readonly end: string | undefined;
  readonly files: readonly ChangedFile[];
  /** What the user should know about the comparison. */
  readonly note?: string;
}

export interface ChangedFile {
  /** The path relative to `top`. */
  readonly path: string;
  /** Lines added and removed; absent for binary files. */
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  /** Absent: the file is binary or too large, or holds keys. */
  readonly diff?: string | undefined;
  readonly holdsKeys?: true;
}

export const PRIORITIES = ["P0", "P1", "P2", "P3"] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface Finding {
  /** The path relative to the top of the repository. */
  readonly path: string;
  readonly line: number;
  /** The text as it is in the file. */
  readonly quote: string;
  readonly priority: Priority;
  readonly title: string;
  readonly body: string;
  /** The lenses that reported it. */
  readonly lenses: readonly string[];
}

export interface ConfirmedFinding extends Finding {
  /** Why the critic agrees. */
  readonly reason: string;
}

/** Why a finding is not reported. */
export type DropReason = "no_place" | "false_quote" | "duplicate" | "refuted" | "no_verdict";

export interface DroppedFinding extends Partial<Omit<Finding, "title" | "lenses">> {
  readonly title: string;
  readonly lenses: readonly string[];
  readonly dropped: DropReason;
  /** The reason in one line. */
  readonly why: string;
}

/** The outcome of one lens or of the critic. */
export interface LensOutcome {
  readonly name: string;
  readonly status: "completed" | "failed";
  /** The number reported, before any check. */
  readonly findings: number;
  /** Why it failed, in one line. */
  readonly why?: string | undefined;
  readonly isOutOfBudget?: boolean | undefined;
}

export interface Review {
  readonly change: Change;
  /** The isolation of the reviewers; `none`: they only had read-only tools. */
  readonly view: string;
  readonly findings: readonly ConfirmedFinding[];
  readonly dropped: readonly DroppedFinding[];
  readonly lenses: readonly LensOutcome[];
  readonly usage: Usage;
  readonly cost: number;
}
