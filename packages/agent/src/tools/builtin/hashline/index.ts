// edit, hashline variant: operations on the numbered lines of a read with a tag.

import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { editCard } from "../../../files/edit/card.ts";
import { applyHashline, type HashlineFile, hashlinePaths } from "../../../files/edit/hashline/apply.ts";
import { fileChanges, hostDetails, paragraphs } from "../../../files/edit/outcome.ts";
import { editPreview } from "../../../files/edit/preview.ts";
import { fileAccess } from "../file-access.ts";
import { EDIT_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = { input: text("One or more file sections, each a ¶PATH#TAG header followed by operations") };

const ROWS = 80;

export const hashlineEditTool: ToolDef<StaticFields<typeof params>> = {
  name: "edit",
  label: "Edit",
  description: description.trim(),
  schema: object(params),
  tier: "write",
  replay: "never",
  output: EDIT_OUTPUT,
  access: ({ input }, scope) => fileAccess("write", hashlinePaths(input), scope),
  summary: ({ input }) => hashlinePaths(input).join(", "),
  card: ({ input }, result) => editCard(hashlinePaths(input).join(", "), result),
  preview: async ({ input }, scope) => {
    const { files, warnings } = await applyHashline({ ...scope, planOnly: true }, input);
    return editPreview({ files: files.map(({ file }) => file), notes: warnings }, ["input"]);
  },
  execute: async ({ input }, context) => {
    const { files, warnings } = await applyHashline(context, input);
    const said = [...warnings, ...files.flatMap(({ file }) => (file.warning ? [file.warning] : []))];
    const trail = said.length === 0 ? "" : `Warnings:\n${said.join("\n")}`;
    const perFile = files.map(({ file }) => ({ ...hostDetails(file), op: "update" }));
    return {
      content: [{ kind: "text", text: paragraphs(...files.map(fileText), trail) }],
      details: { ...perFile[0], ...(perFile.length > 1 ? { perFileResults: perFile } : {}) },
      changes: fileChanges(
        context,
        files.map(({ file }) => file),
      ),
      effects: "done",
    };
  },
};

/** The header and the changed lines with their new numbers, so that the next edit needs no new read. */
function fileText({ file, tag, blocks }: HashlineFile): string {
  const rows: string[] = [];
  let line = 0;
  for (const row of file.diff.split("\n")) {
    const start = /^@@ -\d+,\d+ \+(\d+),\d+ @@$/.exec(row)?.[1];
    if (start !== undefined) {
      line = Number(start);
      if (rows.length > 0) rows.push("…");
    } else if (row.startsWith("-")) rows.push(row);
    else if (!row.startsWith("\\")) rows.push(`${row.slice(0, 1)}${line++}:${row.slice(1)}`);
  }
  const shown =
    rows.length > ROWS ? [...rows.slice(0, ROWS), "… (more changed lines; read the file for their numbers)"] : rows;
  return [`¶${file.path}#${tag}`, ...blocks, ...shown].join("\n");
}
