// `edit` of the four-tool set: the same operation as edit_file, for exact and single matches only.

import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../../contract/tool.ts";
import { fileChanges, hostDetails, linesChanged, paragraphs, trailer } from "../../../../files/edit/outcome.ts";
import { editPreview } from "../../../../files/edit/preview.ts";
import { type Replacement, replaceInFile } from "../../../../files/edit/replace.ts";
import { editFileTool } from "../../edit-file/index.ts";
import description from "./description.md";

const params = {
  file_path: text("Path of the file, relative or absolute"),
  old_string: text("The exact text to replace"),
  new_string: text("The text to put in its place"),
};

export const minimalEditTool: ToolDef<StaticFields<typeof params>> = {
  ...editFileTool,
  name: "edit",
  description: description.trim(),
  schema: object(params),
  preview: async (args, scope) => {
    const { file, notes } = await replaceInFile({ ...scope, planOnly: true }, args.file_path, [exactly(args)]);
    return editPreview({ files: [file], notes }, ["file_path", "old_string", "new_string"]);
  },
  async execute(args, context) {
    const { file_path, old_string, new_string } = args;
    const replacement = exactly(args);
    const { file, matchCount, notes } = await replaceInFile(context, file_path, [replacement]);
    const changed = linesChanged(file);
    const summary = `Replaced ${matchCount} occurrence in ${file_path} (${changed} lines changed)`;
    return {
      content: [{ kind: "text", text: paragraphs(summary, trailer(notes, [file])) }],
      details: {
        ...hostDetails(file),
        filePath: file_path,
        oldString: old_string,
        newString: new_string,
        matchCount,
        linesChanged: changed,
      },
      changes: fileChanges(context, [file]),
      effects: "done",
    };
  },
};

function exactly({ old_string, new_string }: StaticFields<typeof params>): Replacement {
  return { oldText: old_string, newText: new_string, exactOnly: true };
}
