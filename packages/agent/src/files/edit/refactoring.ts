// Changes of several files that another program computed from the texts it saw: all of them are made, or none.

import { visibleName } from "../../base/text/visible.ts";
import { ToolFailure } from "../../contract/tool.ts";
import { newDocument } from "./document.ts";
import type { TextEdit } from "./endings.ts";
import { type FileOutcome, outcomes } from "./outcome.ts";
import { type EditScope, withWorkspace } from "./workspace.ts";

/** The computed changes of a refactoring. */
export interface Refactoring {
  readonly files: readonly RefactoredFile[];
  /** Files to rename after their text was changed. */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  readonly creates?: readonly { readonly path: string; readonly text: string }[];
  readonly deletes?: readonly { readonly path: string; readonly seen: string }[];
  /** For the user and the model. */
  readonly notes: readonly string[];
}

/** The edits of one file. */
export interface RefactoredFile {
  readonly path: string;
  /** The text that the edits were computed from, with "\n" endings and no byte order mark. */
  readonly seen: string;
  /** Sorted and not overlapping. */
  readonly edits: readonly TextEdit[];
}

/** Every path that the refactoring touches. */
export function refactoredPaths({ files, moves, creates = [], deletes = [] }: Refactoring): string[] {
  const whole = [...files, ...creates, ...deletes].map(({ path }) => path);
  return [...whole, ...moves.flatMap(({ from, to }) => [from, to])];
}

export async function applyRefactoring(context: EditScope, plan: Refactoring): Promise<readonly FileOutcome[]> {
  return withWorkspace(context, refactoredPaths(plan), async (workspace) => {
    const refuseChanged = (path: string, seen: string): void => {
      if (workspace.document(path).text === seen) return;
      throw new ToolFailure(
        `${visibleName(path)} has changed since this edit was computed. Nothing was written; ask again.`,
      );
    };
    const refuseExisting = (path: string): void => {
      if (workspace.exists(path)) throw new ToolFailure(`${visibleName(path)} exists already. Nothing was written.`);
    };
    for (const { path, seen, edits } of plan.files) {
      refuseChanged(path, seen);
      workspace.edit(path, edits);
    }
    for (const { path, seen } of plan.deletes ?? []) {
      refuseChanged(path, seen);
      workspace.remove(path);
    }
    for (const { path, text } of plan.creates ?? []) {
      refuseExisting(path);
      workspace.write(path, newDocument(text));
    }
    for (const { from, to } of plan.moves) {
      refuseExisting(to);
      workspace.move(from, to);
    }
    return outcomes(context, await workspace.commit({ isExact: true }));
  });
}
