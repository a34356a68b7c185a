// edit, replace variant: several old/new pairs in one file.

import { hostDetails, modelDiff, paragraphs, trailer } from "../../edit/outcome.ts";
import { replaceInFile } from "../../edit/replace.ts";
import { type ArgsOf, flag, listOf, optional, parameters, record, text } from "../params.ts";
import type { ToolDef } from "../../contract/tool.ts";
import description from "./description.md";

const params = {
  path: text("Path of the file, absolute or relative to the working directory"),
  edits: listOf(
    record(
      {
        old_text: text("The text to replace"),
        new_text: text("The text to put in its place"),
        all: optional(flag("Replace every occurrence")),
      },
      "One replacement",
    ),
    "Replacements, in order",
    { minItems: 1 },
  ),
};

export const replaceEditTool: ToolDef<ArgsOf<typeof params>> = {
  name: "edit",
  label: "Edit",
  description: description.trim(),
  schema: parameters(params),
  tier: "write",
  replay: "never",
  execute: async ({ path, edits }, context) => {
    const replacements = edits.map(({ old_text, new_text, all }) => ({
      oldText: old_text,
      newText: new_text,
      all: all ?? false,
    }));
    const { file, matchCount, steps, notes } = await replaceInFile(context, path, replacements);
    const summary = `Replaced ${matchCount} occurrence(s) in ${path}`;
    return {
      content: [{ kind: "text", text: paragraphs(summary, trailer(notes, [file]), modelDiff([file])) }],
      details: { ...hostDetails(file), matchCount, steps: [...steps] },
      effects: "done",
    };
  },
};
