// The preview of planned changes for the user: every removed or added line, and what lines do not show (line endings,
// encoding, byte order mark, executable bit).

import type { Preview, PreviewLine } from "../../contract/tool.ts";
import { changeText } from "./change-text.ts";
import { DocumentError, decodeDocument, type TextDocument } from "./document.ts";
import type { FileOutcome } from "./outcome.ts";
import { planOf } from "./plan.ts";
import type { FileContent, StagedChange } from "./staged.ts";

export interface PlannedEdit {
  readonly files: readonly FileOutcome[];
  /** Shown below the changes. */
  readonly notes?: readonly string[];
  /** New paths of moved files, by their old paths. */
  readonly moves?: ReadonlyMap<string, string>;
}

/** `shows`: the arguments that the changes themselves show. */
export function editPreview({ files, notes = [], moves = new Map() }: PlannedEdit, shows: readonly string[]): Preview {
  const changes = files.map(({ change }) => change);
  const sourceOf = new Map([...moves].map(([from, to]) => [to, changes.find(({ target }) => target.path === from)]));
  const lines = changes
    .filter(({ target }) => !moves.has(target.path))
    .flatMap((change) => changeLines(change, sourceOf.get(change.target.path)));
  // If nothing changes, no line names the file, so the arguments must be shown.
  return { lines: [...lines, ...notes.map(note)], shows: lines.length > 0 ? shows : [], plan: planOf(changes) };
}

function changeLines(change: StagedChange, source: StagedChange | undefined): PreviewLine[] {
  const { target, after } = change;
  const before = source?.before ?? change.before;
  if (!after) return [heading(`delete ${target.path}`), ...contentLines(before, undefined)];
  if (!source) return [heading(`${before ? "change" : "create"} ${target.path}`), ...contentLines(before, after)];
  const moved = heading(`move ${source.target.path} to ${target.path}`);
  const overwritten = change.before ? [note(`${target.path} exists and will be overwritten`)] : [];
  return [moved, ...overwritten, ...contentLines(before, after)];
}

function contentLines(before: FileContent | undefined, after: FileContent | undefined): PreviewLine[] {
  const diff = changeText(documentText(before), documentText(after), { whole: true }).diff;
  const lines = diff === "" ? [] : diff.split("\n").map(diffLine);
  return [...lines, ...invisibleChanges(before, after).map(note)];
}

const documentText = (content: FileContent | undefined): string => documentOf(content)?.text ?? "";

/** Not every dialect needs the text of what it deletes or overwrites, but the user does. */
function documentOf(content: FileContent | undefined): TextDocument | undefined {
  if (!content || content.document) return content?.document;
  try {
    return decodeDocument(content.bytes);
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

function diffLine(text: string): PreviewLine {
  if (text.startsWith("+")) return { text, kind: "added" };
  return text.startsWith("-") ? { text, kind: "removed" } : { text };
}

/** Changes of bytes that a line diff does not show. */
function invisibleChanges(before: FileContent | undefined, after: FileContent | undefined): string[] {
  const notes: string[] = [];
  const [old, next] = [documentOf(before), documentOf(after)];
  if (before && !old && before.bytes.byteLength > 0)
    notes.push(`replaces ${before.bytes.byteLength} bytes that are not text`);
  if (after && !next && after.bytes.byteLength > 0 && !before)
    notes.push(`${after.bytes.byteLength} bytes that are not text`);
  if (old && next && old.encoding !== next.encoding) notes.push(`encoding: ${old.encoding} becomes ${next.encoding}`);
  if (next && next.bom !== (old?.bom ?? false))
    notes.push(next.bom ? "with a byte order mark" : "the byte order mark is removed");
  const [endings, nextEndings] = [endingsName(old?.endings ?? "\n"), endingsName(next?.endings ?? "\n")];
  if (next && endings !== nextEndings) notes.push(`line endings: ${endings} become ${nextEndings}`);
  if (after?.executable) notes.push("becomes executable");
  return notes;
}

function endingsName(endings: string | readonly string[]): string {
  if (typeof endings !== "string") return "mixed";
  return endings === "\n" ? "LF" : endings === "\r\n" ? "CRLF" : "CR";
}

const heading = (text: string): PreviewLine => ({ text, kind: "heading" });
const note = (text: string): PreviewLine => ({ text, kind: "note" });
