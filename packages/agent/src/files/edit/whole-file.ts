// Whole-file writes. An existing file keeps its encoding, byte order mark, mode and, unless the new text contains
// carriage returns, its line endings. A new file that names its interpreter becomes executable.

import { ToolFailure } from "../../contract/tool.ts";
import { editDocument, newDocument, type TextDocument } from "./document.ts";
import { lineRuns } from "./line-runs.ts";
import { type FileOutcome, outcomes } from "./outcome.ts";
import { refusePlaceholder } from "./replace.ts";
import { planFresh } from "./stale-edit.ts";
import { type EditScope, type EditWorkspace, withWorkspace } from "./workspace.ts";

export interface WriteOutcome {
  readonly size: number;
  readonly isNew: boolean;
  readonly madeExecutable: boolean;
  /** Absent if the file already had this content. */
  readonly file?: FileOutcome;
  readonly notes: readonly string[];
}

export async function writeWholeFile(context: EditScope, path: string, content: string): Promise<WriteOutcome> {
  return withWorkspace(context, [path], async (workspace) => {
    const isNew = !workspace.exists(path);
    const notes = stageWhole(workspace, path, content);
    const [file] = await outcomes(context, await workspace.commit());
    const size = workspace.size(path);
    const madeExecutable = file?.change.after?.executable ?? false;
    const outcome = { size, isNew, madeExecutable };
    if (!file) return { ...outcome, notes: [...notes, "nothing changes: the file already has exactly this content."] };
    return { ...outcome, file, notes };
  });
}

/** Returns notes for the caller's report. */
export function stageWhole(workspace: EditWorkspace, path: string, content: string): string[] {
  if (!workspace.exists(path)) {
    const executable = content.startsWith("#!") && !workspace.isPart(path);
    workspace.write(path, newDocument(content), executable ? { executable } : {});
    return executable ? ["becomes executable, because it begins with #!."] : [];
  }
  const old = workspace.documentIfText(path);
  if (!old) {
    workspace.write(path, newDocument(content));
    return ["replaces content that is not text."];
  }
  refusePlaceholder(path, content, old.text);
  const replacement = newDocument(content);
  if (!workspace.staleBase(path)) {
    const { document, notes } = inheritFormat(old, replacement);
    workspace.write(path, document);
    return notes;
  }
  const merged = planFresh(workspace, path, (text) => {
    if (text === old.text) {
      throw new ToolFailure(
        `${path} has changed on disk since it was last shown, and it is too large to merge. Read it again before writing it. Nothing was written.`,
      );
    }
    return { edits: lineRuns(text, replacement.text) };
  });
  workspace.edit(path, merged.edits);
  return [...merged.notes];
}

function inheritFormat(old: TextDocument, replacement: TextDocument): { document: TextDocument; notes: string[] } {
  const ownEndings = replacement.endings !== "\n";
  const notes = !ownEndings && old.endings !== "\n" ? ["the file keeps its line endings."] : [];
  let kept: TextDocument;
  if (ownEndings) kept = { ...old, text: replacement.text, endings: replacement.endings };
  else if (typeof old.endings === "string") kept = { ...old, text: replacement.text };
  else kept = editDocument(old, lineRuns(old.text, replacement.text));
  const document = { ...kept, bom: old.bom || replacement.bom };
  if (old.encoding !== "latin-1" || !/[^\u0000-\u00ff]/.test(replacement.text)) return { document, notes };
  return { document: { ...document, encoding: "utf-8" }, notes: [...notes, "the file changes from Latin-1 to UTF-8."] };
}
