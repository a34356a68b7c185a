// Plans an edit against what the model has seen. If the file changed on disk since this session showed it, the edit is
// planned on the shown text and carried over to the current one, which fails rather than changing lines that the model
// has not seen.

import { ToolFailure } from "../../contract/tool.ts";
import type { TextEdit } from "./endings.ts";
import { type LineEdit, Lines } from "./lines.ts";
import { nearestText } from "./nearest-lines.ts";
import { rebaseLineEdits } from "./rebase.ts";
import type { EditWorkspace } from "./workspace.ts";

export interface Planned {
  readonly edits: readonly TextEdit[];
}

export type Fresh<T> = T & { readonly notes: readonly string[] };

export function planFresh<T extends Planned>(
  workspace: EditWorkspace,
  path: string,
  plan: (text: string) => T,
): Fresh<T> {
  const { text } = workspace.document(path);
  const stale = workspace.staleBase(path);
  if (!stale) return { ...plan(text), notes: [] };
  const onShown = stale.text === undefined ? undefined : attempt(plan, stale.text);
  if (!onShown || stale.text === undefined) {
    // The quoted text is not in the shown version: the model knows it from another source, so the edit applies to the
    // current content.
    return { ...plan(text), notes: [`${path} has changed on disk since it was last shown.`] };
  }
  const moved = moveEdits(stale.text, text, onShown.edits);
  if (!moved) throw conflict(path, stale.text, text, onShown.edits);
  return {
    ...onShown,
    edits: moved,
    notes: [`${path} has changed on disk since it was last shown; the edit is merged with that change.`],
  };
}

function attempt<T>(plan: (text: string) => T, text: string): T | undefined {
  try {
    return plan(text);
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

function conflict(path: string, shown: string, current: string, edits: readonly TextEdit[]): ToolFailure {
  const lines = new Lines(shown);
  const [first] = edits.map((edit) => linesOf(lines, edit));
  const wanted = first ? lines.slice(first.start - 1, Math.max(first.end, first.start + 1) + 1).join("\n") : "";
  const near = nearestText(current, wanted);
  const now = near ? `\nThe file now has:\n${near}` : "";
  return new ToolFailure(
    `${path} has changed on disk since it was last shown, in or next to the lines of this edit. Nothing was written. Read it again, then repeat the edit.${now}`,
  );
}

/** The same ranges in the current text; undefined if the lines around one of them differ. */
function moveEdits(shown: string, current: string, edits: readonly TextEdit[]): TextEdit[] | undefined {
  const [before, now] = [new Lines(shown), new Lines(current)];
  const ranges = edits.map((edit) => linesOf(before, edit));
  const moved = rebaseLineEdits(before.all(), now.all(), ranges);
  const touchesEnd = edits.some((edit) => edit.end === shown.length);
  if (!moved || (touchesEnd && before.terminated !== now.terminated)) return undefined;
  return edits.map((edit, index) => {
    const shift = (moved[index] as LineEdit).start - (ranges[index] as LineEdit).start;
    const offset = (at: number) => {
      const line = lineOf(before, at);
      return now.offset(line + shift) + at - before.offset(line);
    };
    return { start: offset(edit.start), end: offset(edit.end), text: edit.text };
  });
}

/** The lines that an edit changes; if it starts and ends at line starts, only those it removes. */
function linesOf(lines: Lines, edit: TextEdit): LineEdit {
  const [start, stop] = [lineOf(lines, edit.start), lineOf(lines, edit.end)];
  const whole = edit.start === lines.offset(start) && edit.end === lines.offset(stop);
  return { start, end: whole ? stop : Math.min(lines.count, stop + 1), lines: [] };
}

/** Here, the end of a text that ends in a line break counts as another line. */
function lineOf(lines: Lines, offset: number): number {
  return offset === lines.text.length && (lines.terminated || lines.count === 0) ? lines.count : lines.lineAt(offset);
}
