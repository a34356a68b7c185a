// edit_file: replaces old text by new text in one file.

import { flag, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { CallScope, Preview, ToolContext, ToolDef, ToolResult } from "../../../contract/tool.ts";
import { editCard } from "../../../files/edit/card.ts";
import { fileChanges, hostDetails, linesChanged, modelDiff, paragraphs, trailer } from "../../../files/edit/outcome.ts";
import { editPreview } from "../../../files/edit/preview.ts";
import { type Replacement, type ReplaceOutcome, replaceInFile } from "../../../files/edit/replace.ts";
import { fileAccess } from "../file-access.ts";
import { EDIT_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = {
  file_path: text("Absolute, or relative to the working directory"),
  old_string: text("The text to replace, exactly as it appears in the file"),
  new_string: text("The text to put in its place"),
  replace_all: optional(flag("Replace every occurrence; false when not given")),
};

type Args = StaticFields<typeof params>;

export const editFileTool: ToolDef<Args> = {
  name: "edit_file",
  label: "Edit",
  description: description.trim(),
  schema: object(params),
  tier: "write",
  replay: "never",
  output: EDIT_OUTPUT,
  access: ({ file_path }, scope) => fileAccess("write", [file_path], scope),
  summary: ({ file_path }) => file_path,
  card: ({ file_path }, result) => editCard(file_path, result),
  preview: replacePreview,
  execute: replaceOnce,
};

const countedParams = {
  ...params,
  expected_replacements: optional(
    integer({
      description: "How many occurrences will be replaced; the call fails when the file has a different number",
      minimum: 1,
    }),
  ),
};

/** The same tool for model families that usually state the number of occurrences. */
export const countedEditFileTool: ToolDef<StaticFields<typeof countedParams>> = {
  ...editFileTool,
  schema: object(countedParams),
  preview: replacePreview,
  execute: replaceOnce,
};

function replacementOf(args: StaticFields<typeof countedParams>): Replacement {
  return {
    oldText: args.old_string,
    newText: args.new_string,
    all: args.replace_all ?? false,
    ...(args.expected_replacements === undefined ? {} : { expected: args.expected_replacements }),
  };
}

async function replacePreview(args: StaticFields<typeof countedParams>, scope: CallScope): Promise<Preview> {
  const { file, notes } = await replaceInFile({ ...scope, planOnly: true }, args.file_path, [replacementOf(args)]);
  return editPreview({ files: [file], notes }, ["file_path", "old_string", "new_string"]);
}

async function replaceOnce(args: StaticFields<typeof countedParams>, context: ToolContext): Promise<ToolResult> {
  const replacement = replacementOf(args);
  const outcome = await replaceInFile(context, args.file_path, [replacement]);
  return replaceResult(args.file_path, replacement, outcome, context);
}

function replaceResult(
  path: string,
  { oldText, newText }: Replacement,
  outcome: ReplaceOutcome,
  context: ToolContext,
): ToolResult {
  const { file, matchCount, steps, notes } = outcome;
  const changed = linesChanged(file);
  const summary = `Replaced ${matchCount} occurrence(s) in ${path} (${changed} lines changed)`;
  return {
    content: [{ kind: "text", text: paragraphs(summary, trailer(notes, [file]), modelDiff([file])) }],
    details: {
      ...hostDetails(file),
      oldString: oldText,
      newString: newText,
      matchCount,
      linesChanged: changed,
      step: steps[0] ?? "exact",
    },
    changes: fileChanges(context, [file]),
    effects: "done",
  };
}
