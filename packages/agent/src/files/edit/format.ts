// Formats what an edit is about to write. The formatter is the host's; whatever it says, only lines of this edit are touched.

import { messageOf } from "@lathe/llm";
import type { CallScope } from "../../contract/tool.ts";
import { changeText } from "./change-text.ts";
import { editDocument, type TextDocument } from "./document.ts";
import { applyEdits, type TextEdit } from "./endings.ts";
import { lineRuns } from "./line-runs.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Formats edits before they are shown and written. */
    readonly formatter?: Formatter;
  }
}

/** Formats texts before they are written. */
export interface Formatter {
  /** Asked once for each call and text, so that what is approved is what is written. Undefined: nothing formats such files. */
  format(file: FileToFormat, scope: CallScope): Promise<Formatting | undefined>;
}

/** A text that is about to be written. */
export interface FileToFormat {
  /** Absolute and real. */
  readonly path: string;
  /** With "\n" endings and no byte order mark. */
  readonly text: string;
  /** Where the lines of this edit are. */
  readonly own: readonly { readonly start: number; readonly end: number }[];
}

/** What a formatter would change, or why it does not say. */
export type Formatting = { readonly by: string } & ({ readonly edits: readonly TextEdit[] } | { readonly why: string });

/** Offsets into the text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** What became of a text. */
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

/** Where the lines of `after` are that `before` does not have. */
function ownSpans(before: string, after: string): Span[] {
  let shift = 0;
  return lineRuns(before, after).flatMap(({ start, end, text }) => {
    const at = start + shift;
    shift += text.length - (end - start);
    return text === "" ? [] : [{ start: at, end: at + text.length }];
  });
}

/** A formatter's edits, as far as they keep to these lines. If it wanted more than that, only spaces are taken over: half of another
 * change could mean something else. */
function editsWithin(own: readonly Span[], text: string, edits: readonly TextEdit[]): TextEdit[] {
  const small = edits.flatMap((edit) =>
    lineRuns(text.slice(edit.start, edit.end), edit.text, edit.start).flatMap((run) => lineByLine(text, run)),
  );
  const kept = small.filter((edit) => own.some((span) => isWithin(edit, span, text)));
  return kept.length === small.length ? kept : kept.filter((edit) => isOfSpaces(edit, text));
}

/** As many lines as before: each stands for the one in its place. */
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
  // At the end of the lines the next one begins, which is another's.
  return end < span.end || span.end === text.length || (start < end && now.endsWith("\n"));
}

const isOfSpaces = ({ start, end, text: now }: TextEdit, text: string): boolean =>
  text.slice(start, end).replaceAll(/\s/g, "") === now.replaceAll(/\s/g, "");
