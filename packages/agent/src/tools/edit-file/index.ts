// edit_file: old text for new text in one file.

import { hostDetails, linesChanged, modelDiff, paragraphs, trailer } from "../../edit/outcome.ts";
import { type Replacement, type ReplaceOutcome, replaceInFile } from "../../edit/replace.ts";
import { type ArgsOf, flag, integer, optional, parameters, text } from "../params.ts";
import type { ToolDef, ToolResult } from "../../contract/tool.ts";
import description from "./description.md";

const params = {
  file_path: text("Path of the file, absolute or relative to the working directory"),
  old_string: text("The text to replace, exactly as it stands in the file"),
  new_string: text("The text to put in its place"),
  replace_all: optional(flag("Replace every occurrence; false when not given")),
};

type Args = ArgsOf<typeof params>;

export const editFileTool: ToolDef<Args> = {
  name: "edit_file",
  label: "Edit",
  description: description.trim(),
  schema: parameters(params),
  tier: "write",
  replay: "never",
  execute: async (args, context) => {
    const replacement = { oldText: args.old_string, newText: args.new_string, all: args.replace_all ?? false };
    return replaceResult(args.file_path, replacement, await replaceInFile(context, args.file_path, [replacement]));
  },
};

const countedParams = {
  ...params,
  expected_replacements: optional(
    integer("How many occurrences will be replaced; the call fails when the file has another number", { minimum: 1 }),
  ),
};

/** The same tool for model families that are used to stating the number of occurrences. */
export const countedEditFileTool: ToolDef<ArgsOf<typeof countedParams>> = {
  ...editFileTool,
  schema: parameters(countedParams),
  execute: async (args, context) => {
    const replacement = {
      oldText: args.old_string,
      newText: args.new_string,
      all: args.replace_all ?? false,
      ...(args.expected_replacements === undefined ? {} : { expected: args.expected_replacements }),
    };
    return replaceResult(args.file_path, replacement, await replaceInFile(context, args.file_path, [replacement]));
  },
};

function replaceResult(path: string, { oldText, newText }: Replacement, outcome: ReplaceOutcome): ToolResult {
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
    effects: "done",
  };
}
