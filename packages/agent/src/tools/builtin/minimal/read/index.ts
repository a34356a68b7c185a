// `read` of the four-tool set: the same operation as read_file, with cat -n numbering and its own limits.

import { integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../../contract/tool.ts";
import { open } from "../../../../files/read/open.ts";
import { windowOf } from "../../../../files/read/window.ts";
import { otherResult, readFileTool, wholeResult, windowDetails } from "../../read-file/index.ts";
import description from "./description.md";

const MOST_LINES = 5_000;

const params = {
  file_path: text("Path of the file, relative or absolute"),
  offset: optional(integer({ description: "First line, counted from 1", minimum: 1 })),
  limit: optional(integer({ description: "How many lines", minimum: 1, maximum: MOST_LINES })),
};

export const minimalReadTool: ToolDef<StaticFields<typeof params>> = {
  ...readFileTool,
  name: "read",
  description: description.trim(),
  schema: object(params),
  async execute({ file_path, offset, limit }, context) {
    const opened = await open(file_path, context, { offset, limit });
    if (opened.kind !== "text") return otherResult(opened, context);
    if (opened.isWhole) return wholeResult(opened);
    const window = windowOf(opened, { offset, limit, defaultLimit: MOST_LINES });
    const { rows, total, first, next, isRaw, advice } = window;
    const isPartial = next !== undefined && limit === undefined && !opened.selector;
    const which = first === 1 ? `first ${MOST_LINES}` : `${MOST_LINES} from line ${first}`;
    const warning = `WARNING: File has ${total} lines, showing ${which}. Use offset and limit parameters to read more.\n\n`;
    const shown = rows
      .map((row) => (row ? (isRaw ? row.text : `${String(row.number).padStart(6)}\t${row.text}`) : "…"))
      .join("\n");
    const body = (isPartial ? warning : "") + (advice ?? shown);
    return {
      content: [{ kind: "text", text: [...opened.notes, body].join("\n") }],
      details: windowDetails(opened, window),
      effects: "none",
    };
  },
};
