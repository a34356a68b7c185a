// read_file for hashline edits: a header that names exactly this content, and lines as `N:text`.

import { imageType } from "../../ops/read/images.ts";
import { shorten } from "../../ops/read/numbered.ts";
import { loadBytes, windowOf } from "../../ops/read/read-text.ts";
import type { ArgsOf } from "../params.ts";
import { imageResult, type readFileParams, readFileTool } from "../read-file/index.ts";
import type { ToolDef } from "../types.ts";
import description from "./description.md";

const DEFAULT_LIMIT = 2_000;
/** A range is shown with a little around it: an edit at its border needs to see what it borders on. */
const BEFORE = 1;
const AFTER = 3;

export const hashlineReadTool: ToolDef<ArgsOf<typeof readFileParams>> = {
  ...readFileTool,
  description: description.trim(),
  async execute({ file_path: path, offset = 1, limit }, context) {
    const bytes = await loadBytes(path, context);
    const mediaType = imageType(bytes);
    if (mediaType) return imageResult(path, bytes, mediaType, context);
    const first = Math.max(1, offset - BEFORE);
    const wanted = limit === undefined ? DEFAULT_LIMIT : offset - first + limit + AFTER;
    const window = windowOf(path, bytes, context, first, wanted);
    const header = window.tag === undefined ? [] : [`¶${path}#${window.tag}`];
    const rows = window.lines.map((line, i) => `${window.first + i}:${shorten(line)}`);
    const next = window.first + window.lines.length;
    const rest = window.total - next + 1;
    if (window.total === 0) rows.push("(empty file)");
    if (rest > 0) rows.push(`[${rest} more lines; continue with offset=${next}]`);
    return {
      content: [{ kind: "text", text: [...header, ...rows].join("\n") }],
      details: {
        filePath: path,
        totalLines: window.total,
        linesRead: window.lines.length,
        offset: window.first,
        truncated: rest > 0,
        ...(window.tag === undefined ? {} : { tag: window.tag }),
      },
      effects: "none",
    };
  },
};
