// Formats what an edit is about to write. The formatter belongs to the host; whatever it returns, only lines of this
// edit change.

import { messageOf } from "@lathe/llm";
import type { CallScope } from "../../contract/tool.ts";
import { changeText } from "./change-text.ts";
import { editDocument, type TextDocument } from "./document.ts";
import { applyEdits, type TextEdit } from "./endings.ts";
import { lineRuns } from "./line-runs.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Formats edits before they are previewed and written. */
    readonly formatter?: Formatter;
  }
}

/** Formats texts before they are written. */
export interface Formatter {
  /**
   * Called once for each call and text, so that the approved text is the written one. Undefined if no formatter handles
   * such files.
   */
  format(file: FileToFormat, scope: CallScope): Promise<Formatting | undefined>;
}

/** A text that is about to be written. */
export interface FileToFormat {
  /** Absolute and real. */
  readonly path: string;
  /** With "\n" endings and no byte order mark. */
  readonly text: string;
  /** The lines of this edit. */
  readonly own: readonly { readonly start: number; readonly end: number }[];
}

/** What a formatter would change, or why it failed. */
export type Formatting = { readonly by: string } & ({ readonly edits: readonly TextEdit[] } | { readonly why: string });

/** Offsets into the text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The result of formatting a text. */
export interface FormattedText {
  readonly document?: TextDocument;
  /** For the model: what was formatted, or why nothing was. */
  readonly note?: string;
}

const MOST_OF_DIFF = 2000;

/** `before`: the text that the edit changes; "" for a new file. */
export async function formatText(
  scope: CallScope,
  path: string,
  before: string,
  document: TextDocument,
): Promise<FormattedText> {
  const { formatter, syntax } = scope.services;
  const { text } = document;
  const own = ownSpans(before, text);
  if (!formatter || own.length === 0) return {};
  try {
    const said = await formatter.format({ path, text, own }, scope);
    if (!said) return {};
    if ("why" in said) return { note: `${said.by} did not format it: ${said.why}` };
    const edits = editsWithin(own, text, said.edits);
    const formatted = applyEdits(text, edits);
    if (formatted === text || (await syntax?.newError(path, text, formatted)) !== undefined) return {};
    const { diff } = changeText(text, formatted);
    const shown = diff.length > MOST_OF_DIFF ? "read the file to see the result" : `\n${diff}`;
    return { document: editDocument(document, edits), note: `${said.by} formatted it: ${shown}` };
  } catch (error) {
    scope.signal.throwIfAborted();
    return { note: `it was not formatted: ${messageOf(error)}` };
  }
}

/** The ranges of `after` that are not in `before`. */
function ownSpans(before: string, after: string): Span[] {
  let shift = 0;
  return lineRuns(before, after).flatMap(({ start, end, text }) => {
    const at = start + shift;
    shift += text.length - (end - start);
    return text === "" ? [] : [{ start: at, end: at + text.length }];
  });
}

/**
 * The formatter's edits that stay within these lines. If it wanted more, only changes of white space are used: half of
 * another change could alter the meaning.
 */
function editsWithin(own: readonly Span[], text: string, edits: readonly TextEdit[]): TextEdit[] {
  const small = edits.flatMap((edit) =>
    lineRuns(text.slice(edit.start, edit.end), edit.text, edit.start).flatMap((run) => lineByLine(text, run)),
  );
  const kept = small.filter((edit) => own.some((span) => isWithin(edit, span, text)));
  return kept.length === small.length ? kept : kept.filter((edit) => isOfSpaces(edit, text));
}

/** If the number of lines is unchanged, each new line replaces the old one at its position. */
function lineByLine(text: string, edit: TextEdit): TextEdit[] {
  const old = text.slice(edit.start, edit.end).split("\n");
  const now = edit.text.split("\n");
  if (old.length !== now.length) return [edit];
  let at = edit.start;
  return old.flatMap((line, index) => {
    const start = at;
    at += line.length + 1;
    return line === now[index] ? [] : [{ start, end: start + line.length, text: now[index] as string }];
  });
}

function isWithin({ start, end, text: now }: TextEdit, span: Span, text: string): boolean {
  if (start < span.start || end > span.end) return false;
  // The position after these lines is the start of the next line, which is not part of the edit.
  return end < span.end || span.end === text.length || (start < end && now.endsWith("\n"));
}

const isOfSpaces = ({ start, end, text: now }: TextEdit, text: string): boolean =>
  text.slice(start, end).replaceAll(/\s/g, "") === now.replaceAll(/\s/g, "");
