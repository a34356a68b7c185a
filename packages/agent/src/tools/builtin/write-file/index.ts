// write_file: writes a whole file at once, or the content of an address such as db://users/42.

import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { CallScope, Preview, ToolDef } from "../../../contract/tool.ts";
import { editCard } from "../../../files/edit/card.ts";
import { withoutLineNumbers } from "../../../files/edit/line-numbers.ts";
import { fileChanges, hostDetails, paragraphs, trailer } from "../../../files/edit/outcome.ts";
import { editPreview } from "../../../files/edit/preview.ts";
import { writeWholeFile } from "../../../files/edit/whole-file.ts";
import { previewAddressOrRow, writeAddressOrRow } from "../../../files/write/other-writes.ts";
import { fileAccess } from "../file-access.ts";
import description from "./description.md";

const params = {
  file_path: text("Absolute, or relative to the working directory"),
  content: text(),
};

export const NUMBERS_NOTE =
  "the line numbers in front of every line were removed; reads show them, but they are not part of the file.";

export const writeFileTool: ToolDef<StaticFields<typeof params>> = {
  name: "write_file",
  label: "Write",
  description: description.trim(),
  schema: object(params),
  tier: "write",
  replay: "never",
  output: { chars: 1_000, mode: "tail" },
  access: ({ file_path }, scope) => fileAccess("write", [file_path], scope),
  summary: ({ file_path }) => file_path,
  card: ({ file_path }, result) => editCard(file_path, result),
  preview: ({ file_path, content }, scope) => writePreview(file_path, withoutLineNumbers(content) ?? content, scope),
  execute: writeTool("Created"),
};

/** `created`: what the result says about a file that did not exist. */
export function writeTool(created: string): ToolDef<StaticFields<typeof params>>["execute"] {
  return async ({ file_path, content }, context) => {
    const other = await writeAddressOrRow(file_path, content, context);
    if (other) return other;
    const bare = withoutLineNumbers(content);
    const { size, isNew, madeExecutable, file, notes } = await writeWholeFile(context, file_path, bare ?? content);
    const stripped = bare === undefined ? [] : [NUMBERS_NOTE];
    const summary = `${isNew ? created : "Wrote"} ${file_path} (${size} bytes)`;
    return {
      content: [{ kind: "text", text: paragraphs(summary, trailer([...stripped, ...notes], file ? [file] : [])) }],
      details: {
        ...(file ? hostDetails(file) : {}),
        filePath: file_path,
        size,
        isNew,
        ...(madeExecutable ? { madeExecutable } : {}),
      },
      changes: fileChanges(context, file ? [file] : []),
      effects: "done",
    };
  };
}

/** `content`: the text that will be written. */
export async function writePreview(path: string, content: string, scope: CallScope): Promise<Preview> {
  const other = await previewAddressOrRow(path, content, scope);
  if (other) return other;
  const { file, notes } = await writeWholeFile({ ...scope, planOnly: true }, path, content);
  return editPreview({ files: file ? [file] : [], notes }, ["file_path", "content"]);
}
