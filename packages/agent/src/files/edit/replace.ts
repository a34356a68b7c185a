// The old/new text dialect behind edit_file, replace and the minimal profile's edit.

import { ToolFailure } from "../../contract/tool.ts";
import { applyEdits, type TextEdit, toLineFeeds } from "./endings.ts";
import { placeholderLine } from "./guards.ts";
import { place, type Step } from "./ladder.ts";
import { lineRuns } from "./line-runs.ts";
import { Lines } from "./lines.ts";
import { nearestText } from "./nearest-lines.ts";
import { type FileOutcome, outcomes } from "./outcome.ts";
import { planFresh } from "./stale-edit.ts";
import { type EditScope, withWorkspace } from "./workspace.ts";

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly all?: boolean;
  /** The call fails if the number of matches differs. */
  readonly expected?: number;
  readonly exactOnly?: boolean;
}

export interface ReplaceOutcome {
  readonly file: FileOutcome;
  readonly matchCount: number;
  readonly steps: readonly Step[];
  readonly notes: readonly string[];
}

interface Plan {
  readonly edits: readonly TextEdit[];
  readonly matchCount: number;
  readonly steps: readonly Step[];
}

const stepNotes: Readonly<Record<Exclude<Step, "exact">, string>> = {
  "trailing-whitespace": "matched after ignoring trailing whitespace",
  indentation: "matched after shifting the indentation; the new text was re-indented to fit the file",
  unicode: "matched after treating similar punctuation and spaces as equal",
  unescaped: "matched after undoing backslash escapes in the given text",
  unnumbered: "matched after removing the line numbers, which reads show but files do not have",
};

/** All replacements in one file, in order, or none. */
export async function replaceInFile(
  context: EditScope,
  path: string,
  replacements: readonly Replacement[],
): Promise<ReplaceOutcome> {
  for (const replacement of replacements) refuseEmpty(path, replacement);
  return withWorkspace(context, [path], async (workspace) => {
    const document = workspace.document(path);
    for (const { newText, oldText } of replacements) refusePlaceholder(path, newText, `${oldText}\n${document.text}`);
    const planned = planFresh(workspace, path, (text) => planAll(path, text, replacements));
    const mixed = typeof document.endings !== "string";
    const edits = mixed
      ? planned.edits.flatMap((edit) => lineRuns(document.text.slice(edit.start, edit.end), edit.text, edit.start))
      : planned.edits;
    workspace.edit(path, edits);
    const [file] = await outcomes(context, await workspace.commit());
    if (!file) throw new ToolFailure(`The edit leaves ${path} exactly as it is. Nothing was written.`);
    const notes = planned.steps.flatMap((step) => (step === "exact" ? [] : [stepNotes[step]]));
    return { file, matchCount: planned.matchCount, steps: planned.steps, notes: [...planned.notes, ...notes] };
  });
}

export function refusePlaceholder(path: string, added: string, existing: string): void {
  const placeholder = placeholderLine(added, existing);
  if (placeholder === undefined) return;
  throw new ToolFailure(
    `The new text for ${path} has the line "${placeholder}", which would replace real code. Send the complete text, or a smaller edit that leaves the rest alone. Nothing was written.`,
  );
}

function refuseEmpty(path: string, { oldText, newText }: Replacement): void {
  if (oldText === "") {
    throw new ToolFailure(
      `The text to replace in ${path} is empty. Quote the lines to change; to create a file or replace all of it, write the whole file instead. Nothing was written.`,
    );
  }
  if (toLineFeeds(oldText) === toLineFeeds(newText)) {
    throw new ToolFailure(
      `Old and new text for ${path} are the same, so there is nothing to change. Nothing was written.`,
    );
  }
}

function planAll(path: string, text: string, replacements: readonly Replacement[]): Plan {
  const [only] = replacements;
  if (replacements.length === 1 && only) return planOne(path, text, only);
  let now = text;
  let matchCount = 0;
  const steps: Step[] = [];
  for (const replacement of replacements) {
    const plan = planOne(path, now, replacement);
    now = applyEdits(now, plan.edits);
    matchCount += plan.matchCount;
    steps.push(...plan.steps);
  }
  return { edits: lineRuns(text, now), matchCount, steps };
}

function planOne(path: string, text: string, { oldText, newText, all, expected, exactOnly }: Replacement): Plan {
  const old = toLineFeeds(oldText);
  const several = all === true || (expected ?? 1) > 1;
  const found = place(text, old, toLineFeeds(newText), { all: several, exactOnly: exactOnly === true });
  if (found.kind === "missing") throw missingText(path, text, old, toLineFeeds(newText));
  if (found.kind === "ambiguous") {
    const how = found.step === "exact" ? "" : ` (${stepNotes[found.step]})`;
    throw new ToolFailure(
      `The text to replace occurs more than once in ${path}${how}: lines ${found.lines.join(", ")}${found.more ? " and more" : ""}. Add surrounding lines until it matches only one place, or ask for all occurrences. Nothing was written.`,
    );
  }
  const matchCount = found.edits.length;
  if (expected !== undefined && matchCount !== expected) {
    throw new ToolFailure(
      `Expected ${expected} occurrence(s) in ${path} but found ${matchCount}. Nothing was written.`,
    );
  }
  return { edits: found.edits, matchCount, steps: [found.step] };
}

function missingText(path: string, text: string, old: string, replacement: string): ToolFailure {
  const lines = [`The text to replace was not found in ${path}. Nothing was written.`];
  const there = replacement.trim() === "" ? -1 : text.indexOf(replacement);
  if (there >= 0) {
    lines.push(
      `The new text is already there (line ${new Lines(text).lineAt(there) + 1}); the edit may have been made before.`,
    );
  }
  const near = nearestText(text, old);
  lines.push(
    near
      ? `The nearest text is:\n${near}\nQuote it exactly as it appears in the file, without the numbers and bars.`
      : "Nothing in the file resembles it; read the file again.",
  );
  return new ToolFailure(lines.join("\n"));
}
