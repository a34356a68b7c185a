// The view of a run on the wire: its changes, and what happened to them.

import { choice, flag, integer, listOf, object, optional, text } from "@lathe/llm/schema";

/** The data of `get_worktree`. */
export const worktreeState = object({
  id: text(),
  kind: text(),
  /** The project that was copied. */
  cwd: text(),
  /** Paths relative to the project. */
  files: listOf(object({ path: text(), change: choice(["added", "changed", "deleted"]) })),
  /** Files that landing leaves out, such as ignored and very large files. */
  leftOut: listOf(text()),
  /** The changes are already in a branch or a patch. */
  settled: flag(),
});

/**
 * With `conflict` and `failed` nothing was written; the changes are still in the view, and `patch` is a copy if there
 * is one.
 */
export const settledFields = {
  id: text(),
  outcome: choice(["landed", "branch", "patch", "discarded", "nothing", "conflict", "failed"]),
  files: listOf(text()),
  branch: optional(text()),
  patch: optional(text()),
  conflicts: listOf(object({ path: text(), line: optional(integer()), message: text() })),
};
