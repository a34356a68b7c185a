// write_file for hashline edits: what was pasted from a reading is cleaned, and the result names the new content.

import { withoutLineNumbers } from "../../edit/line-numbers.ts";
import { NUMBERS_NOTE, writeFileTool } from "../write-file/index.ts";

const HEADER_NOTE = "the ¶ header was taken off; it is shown by readings and is not part of a file.";

export const hashlineWriteTool: typeof writeFileTool = {
  ...writeFileTool,
  async execute(args, context) {
    const pasted = /^\u00b6[^\n]*#[0-9A-F]{4}\n([\s\S]*)$/.exec(args.content)?.[1];
    const body = pasted ?? args.content;
    const bare = withoutLineNumbers(body, "colon");
    const result = await writeFileTool.execute({ ...args, content: bare ?? body }, context);
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
