// edit, replace variant: several old/new pairs in one file.

import { flag, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { editCard } from "../../../files/edit/card.ts";
import { fileChanges, hostDetails, modelDiff, paragraphs, trailer } from "../../../files/edit/outcome.ts";
import { editPreview } from "../../../files/edit/preview.ts";
import { type Replacement, replaceInFile } from "../../../files/edit/replace.ts";
import { fileAccess } from "../file-access.ts";
import { EDIT_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = {
  path: text("Absolute, or relative to the working directory"),
  edits: listOf(
    object(
      {
        old_text: text("The text to replace"),
        new_text: text("The text to put in its place"),
        all: optional(flag("Replace every occurrence")),
      },
      "One replacement",
    ),
    { description: "Replacements, in order", minItems: 1 },
  ),
};

export const replaceEditTool: ToolDef<StaticFields<typeof params>> = {
  name: "edit",
  label: "Edit",
  description: description.trim(),
  schema: object(params),
  tier: "write",
  replay: "never",
  output: EDIT_OUTPUT,
  access: ({ path }, scope) => fileAccess("write", [path], scope),
  summary: ({ path }) => path,
  card: ({ path }, result) => editCard(path, result),
  preview: async ({ path, edits }, scope) => {
    const { file, notes } = await replaceInFile({ ...scope, planOnly: true }, path, replacementsOf(edits));
    return editPreview({ files: [file], notes }, ["path", "edits"]);
  },
  execute: async ({ path, edits }, context) => {
    const { file, matchCount, steps, notes } = await replaceInFile(context, path, replacementsOf(edits));
    const summary = `Replaced ${matchCount} occurrence(s) in ${path}`;
    return {
      content: [{ kind: "text", text: paragraphs(summary, trailer(notes, [file]), modelDiff([file])) }],
      details: { ...hostDetails(file), matchCount, steps: [...steps] },
      changes: fileChanges(context, [file]),
      effects: "done",
    };
  },
};

function replacementsOf(edits: StaticFields<typeof params>["edits"]): Replacement[] {
  return edits.map(({ old_text, new_text, all }) => ({ oldText: old_text, newText: new_text, all: all ?? false }));
}
