// The report of a call: a bounded diff for the model, the full facts for hosts, and a warning if a file stopped
// parsing.

import { type JsonObject, messageOf } from "@lathe/llm";
import { visibleName } from "../../base/text/visible.ts";
import type { ContentRef, FileChange } from "../../contract/changes.ts";
import type { ToolContext, ToolServices } from "../../contract/tool.ts";
import { type ChangeText, changeText } from "./change-text.ts";
import type { FileContent, StagedChange } from "./staged.ts";
import type { EditScope } from "./workspace.ts";

export interface FileOutcome extends ChangeText {
  readonly path: string;
  readonly change: StagedChange;
  readonly warning?: string;
}

const MODEL_DIFF = 6000;
const HOST_DIFF = 200_000;
const CHECKED_FILES = 20;

export async function outcomes(
  { services, planOnly }: EditScope,
  changes: readonly StagedChange[],
): Promise<FileOutcome[]> {
  const result: FileOutcome[] = [];
  for (const [index, change] of changes.entries()) {
    const before = change.before?.document?.text ?? "";
    const after = change.after?.document?.text ?? "";
    const { path } = change.target;
    const isChecked = change.after && !planOnly && index < CHECKED_FILES;
    const warning = change.overwrote
      ? `what something else wrote to ${path} in the same moment was overwritten by this edit; have it written again`
      : isChecked
        ? await syntaxWarning(services, path, before, after)
        : undefined;
    result.push({ path, change, ...changeText(before, after), ...(warning === undefined ? {} : { warning }) });
  }
  return result;
}

/** The change is already on disk: a failing parser must not make the call look failed. */
async function syntaxWarning(
  services: ToolServices,
  path: string,
  before: string,
  after: string,
): Promise<string | undefined> {
  try {
    const line = await services.syntax?.newError(path, before, after);
    return line === undefined ? undefined : `this edit introduces a parse error at line ${line} of ${path}`;
  } catch (error) {
    return `the syntax of ${path} could not be checked: ${messageOf(error)}`;
  }
}

/** Diffs of all files, shortened so that the call's own summary always fits in the result. */
export function modelDiff(files: readonly FileOutcome[]): string {
  let room = MODEL_DIFF;
  const parts: string[] = [];
  for (const file of files) {
    if (file.diff === "") continue;
    const path = visibleName(file.path);
    const text = `--- ${path}\n${file.diff}`;
    if (text.length > room) {
      const fitting = text.slice(0, room);
      const kept = fitting.slice(0, Math.max(0, fitting.lastIndexOf("\n")));
      if (kept !== "") parts.push(kept);
      parts.push(
        `[${text.length - kept.length} more characters of this diff are not shown; read ${path} to see the result]`,
      );
      break;
    }
    room -= text.length;
    parts.push(text);
  }
  return parts.join("\n");
}

export function trailer(notes: readonly string[], files: readonly FileOutcome[]): string {
  const warnings = files.flatMap((file) => (file.warning ? [`Warning: ${file.warning}`] : []));
  const formatted = files.flatMap(({ change: { formatNote } }) => formatNote ?? []);
  return [...[...notes, ...formatted].map((note) => `Note: ${note}`), ...warnings].join("\n");
}

/** The changes in the form the journal keeps; call this once they are on disk. */
export function fileChanges({ blobs }: Pick<ToolContext, "blobs">, files: readonly FileOutcome[]): FileChange[] {
  const ref = ({ bytes, digest }: FileContent): ContentRef => ({
    sha256: blobs.put(bytes, digest()),
    bytes: bytes.byteLength,
  });
  const changes = new Map<string, FileChange>();
  for (const { change, added, removed } of files) {
    const { target, before, after } = change.inFile ?? change;
    const earlier = changes.get(target.real);
    changes.set(target.real, {
      path: target.real,
      ...(before ? { before: ref(before) } : {}),
      ...(after ? { after: ref(after) } : {}),
      added: (earlier?.added ?? 0) + added,
      removed: (earlier?.removed ?? 0) + removed,
    });
  }
  return [...changes.values()];
}

export function hostDetails(file: FileOutcome): JsonObject {
  return {
    filePath: file.path,
    diff: file.diff.slice(0, HOST_DIFF),
    added: file.added,
    removed: file.removed,
    firstChangedLine: file.firstChangedLine,
    ...(file.warning ? { warning: file.warning } : {}),
  };
}

/** The number of lines a reader would call changed: a replaced line counts once. */
export function linesChanged(file: ChangeText): number {
  return Math.max(file.added, file.removed);
}

export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}
