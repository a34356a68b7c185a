// `read` of the four-tool set: the same op as read_file, with cat -n numbering and its own limits.

import type { ToolDef } from "../../../contract/tool.ts";
import { imageType } from "../../../ops/read/images.ts";
import { loadBytes, windowOf } from "../../../ops/read/read-text.ts";
import { readWhole } from "../../../ops/read/read-whole.ts";
import { fileAccess } from "../../file-access.ts";
import { READ_OUTPUT } from "../../output.ts";
import { type ArgsOf, integer, optional, parameters, text } from "../../params.ts";
import { imageResult, readCard } from "../../read-file/index.ts";
import description from "./description.md";

const MOST_LINES = 5_000;

const params = {
  file_path: text("Path of the file, relative or absolute"),
  offset: optional(integer("First line, counted from 1", { minimum: 1 })),
  limit: optional(integer("How many lines", { minimum: 1, maximum: MOST_LINES })),
};

export const minimalReadTool: ToolDef<ArgsOf<typeof params>> = {
  name: "read",
  label: "Read",
  description: description.trim(),
  schema: parameters(params),
  tier: "read",
  replay: "safe",
  output: READ_OUTPUT,
  access: ({ file_path }, scope) => fileAccess("read", [file_path], scope),
  summary: ({ file_path }) => file_path,
  card: ({ file_path, offset }, result) => readCard(file_path, offset, result),
  async execute(args, context) {
    const { file_path: path, offset = 1, limit } = args;
    const whole = await readWhole(path, context, args);
    if (whole) return whole;
    const bytes = await loadBytes(path, context);
    const mediaType = imageType(bytes);
    if (mediaType) return imageResult(path, bytes, mediaType, context);
    const window = windowOf(path, bytes, context, offset, limit ?? MOST_LINES);
    const truncated = window.first + window.lines.length <= window.total;
    const isPartial = truncated && limit === undefined;
    const which = window.first === 1 ? `first ${MOST_LINES}` : `${MOST_LINES} from line ${window.first}`;
    const warning = `WARNING: File has ${window.total} lines, showing ${which}. Use offset and limit parameters to read more.\n\n`;
    const shown = window.lines.map((line, i) => `${String(window.first + i).padStart(6)}\t${line}`).join("\n");
    return {
      content: [{ kind: "text", text: (isPartial ? warning : "") + (window.total === 0 ? "(empty file)" : shown) }],
      details: {
        filePath: path,
        totalLines: window.total,
        linesRead: window.lines.length,
        offset: window.first,
        truncated,
      },
      effects: "none",
    };
  },
};
