// Plans an edit against what the model has seen. When the file changed on disk since this session showed it, the edit is planned on
// the shown text and moved over, which fails rather than touches lines the model has not seen.

import { ToolFailure } from "../tools/types.ts";
import type { TextEdit } from "./endings.ts";
import { type LineEdit, Lines, splitLines } from "./lines.ts";
import { nearestText } from "./nearest.ts";
import { rebaseLineEdits } from "./rebase.ts";
import type { Workspace } from "./workspace.ts";

export interface Planned {
  readonly edits: readonly TextEdit[];
}

export type Fresh<T> = T & { readonly notes: readonly string[] };

export async function planFresh<T extends Planned>(
  workspace: Workspace,
  path: string,
  plan: (text: string) => T,
): Promise<Fresh<T>> {
  const { text } = await workspace.document(path);
  const stale = await workspace.staleBase(path);
  if (!stale) return { ...plan(text), notes: [] };
  const onShown = stale.text === undefined ? undefined : attempt(plan, stale.text);
  if (!onShown || stale.text === undefined) {
    // The quoted text is not in what was shown: it was learnt otherwise, so the present content is what counts.
    return { ...plan(text), notes: [`${path} had changed on disk since it was last shown.`] };
  }
  const lineEdits = toLineEdits(stale.text, onShown.edits);
  const moved = rebaseLineEdits(splitLines(stale.text), splitLines(text), lineEdits);
  if (!moved) throw conflict(path, stale.text, text, lineEdits);
  return {
    ...onShown,
    edits: new Lines(text).toTextEdits(moved),
    notes: [`${path} had changed on disk since it was last shown; the edit was merged with that change.`],
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

function conflict(path: string, shown: string, current: string, edits: readonly LineEdit[]): ToolFailure {
  const first = edits[0];
  const wanted = first
    ? new Lines(shown).slice(first.start - 1, Math.max(first.end, first.start + 1) + 1).join("\n")
    : "";
  const near = nearestText(current, wanted);
  const now = near ? `\nThe file now has:\n${near}` : "";
  return new ToolFailure(
    `${path} has changed on disk since it was last shown, in or next to the lines of this edit. Nothing was written. Read it again, then repeat the edit.${now}`,
  );
}

/** Whole-line form of exact ranges. */
export function toLineEdits(text: string, edits: readonly TextEdit[]): LineEdit[] {
  const lines = new Lines(text);
  const result: { start: number; end: number; from: number; to: number; body: string }[] = [];
  for (const edit of edits) {
    const start =
      lines.count > 0 && edit.start === text.length && lines.terminated ? lines.count : lines.lineAt(edit.start);
    const atStart = edit.start === lines.offset(start);
    const stop = edit.end === text.length && lines.terminated ? lines.count : lines.lineAt(edit.end);
    const clean = atStart && edit.end === lines.offset(stop) && (edit.text === "" || edit.text.endsWith("\n"));
    const end = clean ? stop : Math.min(lines.count, stop + 1);
    const previous = result.at(-1);
    if (previous && previous.end > start) {
      previous.body += text.slice(previous.to, edit.start) + edit.text;
      previous.to = edit.end;
      previous.end = Math.max(previous.end, end);
      continue;
    }
    result.push({
      start,
      end,
      from: lines.offset(start),
      to: edit.end,
      body: text.slice(lines.offset(start), edit.start) + edit.text,
    });
  }
  return result.map(({ start, end, to, body }) => ({
    start,
    end,
    lines: splitLines(body + text.slice(to, lines.offset(end))),
  }));
}
