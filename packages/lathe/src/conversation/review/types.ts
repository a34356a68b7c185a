// What a review is made of: the change, what reviewers found in it, and what became of each finding.

import type { Usage } from "@lathe/llm";

/** A change to review. */
export interface Change {
  /** Where the repository's files begin; absolute. */
  readonly top: string;
  /** For people, such as `main...HEAD`. */
  readonly title: string;
  /** What it is compared with: a commit, or the empty tree. */
  readonly base: string;
  /** The commit with the reviewed files; undefined: those on the disk. */
  readonly end: string | undefined;
  readonly files: readonly ChangedFile[];
}

export interface ChangedFile {
  /** The path relative to `top`. */
  readonly path: string;
  /** Lines; absent for binary files. */
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  /** Absent: it is binary, or the whole is too large to be read. */
  readonly diff?: string | undefined;
}

export const PRIORITIES = ["P0", "P1", "P2", "P3"] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface Finding {
  /** The path relative to the top of the repository. */
  readonly path: string;
  readonly line: number;
  /** As it stands in the file. */
  readonly quote: string;
  readonly priority: Priority;
  readonly title: string;
  readonly body: string;
  /** Who reported it. */
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

/** How one lens, or the critic, ended. */
export interface LensOutcome {
  readonly name: string;
  readonly status: "completed" | "failed";
  /** Reported, before any check. */
  readonly findings: number;
  /** Why it failed, in one line. */
  readonly why?: string | undefined;
  readonly isOutOfBudget?: boolean | undefined;
}

export interface Review {
  readonly change: Change;
  /** How reviewers were kept apart from the project; `none`: they had only tools that read. */
  readonly view: string;
  readonly findings: readonly ConfirmedFinding[];
  readonly dropped: readonly DroppedFinding[];
  readonly lenses: readonly LensOutcome[];
  readonly usage: Usage;
  readonly cost: number;
}
