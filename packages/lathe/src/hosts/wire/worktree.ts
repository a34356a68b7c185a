// The view of a run on the wire: what was changed in it, and what became of that.

import { choice, flag, integer, listOf, object, optional, text } from "@lathe/llm/schema";

/** What `get_worktree` says. */
export const worktreeState = object({
  id: text(),
  kind: text(),
  /** The project that it is a view of. */
  cwd: text(),
  /** Relative to the project. */
  files: listOf(object({ path: text(), change: choice(["added", "changed", "deleted"]) })),
  /** What no landing brings back, such as ignored and very large files. */
  leftOut: listOf(text()),
  /** The changes are in a branch or a patch already. */
  settled: flag(),
});

/** With `conflict` and `failed` nothing was written; the changes are still in the view, and `patch` names a copy if there is one. */
export const settledFields = {
  id: text(),
  outcome: choice(["landed", "branch", "patch", "discarded", "nothing", "conflict", "failed"]),
  files: listOf(text()),
  branch: optional(text()),
  patch: optional(text()),
  conflicts: listOf(object({ path: text(), line: optional(integer()), message: text() })),
};
