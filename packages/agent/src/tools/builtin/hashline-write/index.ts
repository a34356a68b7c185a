// write_file for hashline edits: removes headers and line numbers pasted from a read, and returns the tag of the new
// content.

import { withoutLineNumbers } from "../../../files/edit/line-numbers.ts";
import { NUMBERS_NOTE, writeFileTool, writePreview } from "../write-file/index.ts";

const HEADER_NOTE = "the ¶ header was removed; reads show it, but it is not part of the file.";

export const hashlineWriteTool: typeof writeFileTool = {
  ...writeFileTool,
  preview: ({ file_path, content }, scope) => {
    const { pasted, bare } = cleanContent(content);
    return writePreview(file_path, bare ?? pasted ?? content, scope);
  },
  async execute(args, context) {
    const { pasted, bare } = cleanContent(args.content);
    const result = await writeFileTool.execute({ ...args, content: bare ?? pasted ?? args.content }, context);
    const tag = context.services.shownFiles?.latest(context.env.resolve(args.file_path))?.tag;
    if (typeof result === "string") return result;
    const header = tag === undefined ? "" : `¶${args.file_path}#${tag}\n`;
    const notes = [...(bare === undefined ? [] : [NUMBERS_NOTE]), ...(pasted === undefined ? [] : [HEADER_NOTE])];
    const said = result.content.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
    return {
      ...result,
      content: [{ kind: "text", text: [header + said, ...notes.map((note) => `Note: ${note}`)].join("\n") }],
    };
  },
};

/**
 * `pasted`: the text after a pasted header; `bare`: the text without a read's line numbers. Each undefined if there
 * were none.
 */
function cleanContent(content: string): { readonly pasted: string | undefined; readonly bare: string | undefined } {
  const pasted = /^\u00b6[^\n]*#[0-9A-F]{4}\n([\s\S]*)$/.exec(content)?.[1];
  return { pasted, bare: withoutLineNumbers(pasted ?? content, "colon") };
}
