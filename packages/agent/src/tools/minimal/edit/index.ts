// `edit` of the four-tool set: the same op as edit_file, exact and single matches only.

import { hostDetails, linesChanged, paragraphs, trailer } from "../../../edit/outcome.ts";
import { replaceInFile } from "../../../edit/replace.ts";
import { type ArgsOf, parameters, text } from "../../params.ts";
import type { ToolDef } from "../../../contract/tool.ts";
import description from "./description.md";

const params = {
  file_path: text("Path of the file, relative or absolute"),
  old_string: text("The exact text to replace"),
  new_string: text("The text to put in its place"),
};

export const minimalEditTool: ToolDef<ArgsOf<typeof params>> = {
  name: "edit",
  label: "Edit",
  description: description.trim(),
  schema: parameters(params),
  tier: "write",
  replay: "never",
  async execute({ file_path, old_string, new_string }, context) {
    const replacement = { oldText: old_string, newText: new_string, exactOnly: true };
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
      effects: "done",
    };
  },
};
