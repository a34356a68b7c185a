// Changes of several files that another program has worked out against texts that it saw: all of them are made, or none.

import { ToolFailure } from "../../contract/tool.ts";
import type { TextEdit } from "./endings.ts";
import { type FileOutcome, outcomes } from "./outcome.ts";
import { type EditScope, withWorkspace } from "./workspace.ts";

/** What a refactoring changes, as it was worked out. */
export interface Refactoring {
  readonly files: readonly RefactoredFile[];
  /** Files that get another path, after their text was changed. */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  /** For the person and the model. */
  readonly notes: readonly string[];
}

/** The edits of one file. */
export interface RefactoredFile {
  readonly path: string;
  /** The text that the edits were worked out against, with "\n" endings and no byte order mark. */
  readonly seen: string;
  /** Sorted, and no two overlap. */
  readonly edits: readonly TextEdit[];
}

export function refactoredPaths({ files, moves }: Refactoring): string[] {
  return [...files.map(({ path }) => path), ...moves.flatMap(({ from, to }) => [from, to])];
}

export async function applyRefactoring(context: EditScope, plan: Refactoring): Promise<readonly FileOutcome[]> {
  return withWorkspace(context, refactoredPaths(plan), async (workspace) => {
    for (const { path, seen, edits } of plan.files) {
      if (workspace.document(path).text !== seen)
        throw new ToolFailure(`${path} has changed since this edit was worked out. Nothing was written; ask again.`);
      workspace.edit(path, edits);
    }
    for (const { from, to } of plan.moves) {
      if (workspace.exists(to)) throw new ToolFailure(`${to} exists already. Nothing was written.`);
      workspace.move(from, to);
    }
    return outcomes(context, await workspace.commit());
  });
}
