// read_file for hashline edits: a header that names exactly this content, and lines as `N:text`.

import { type ToolDef, ToolFailure } from "../../contract/tool.ts";
import { imageType } from "../../ops/read/images.ts";
import { loadBytes, textLines } from "../../ops/read/read-text.ts";
import { readWhole } from "../../ops/read/read-whole.ts";
import { type LineRange, selectedPath, withSurroundings } from "../../ops/read/selector.ts";
import { fileAccess } from "../file-access.ts";
import type { ArgsOf } from "../params.ts";
import { imageResult, type readFileParams, readFileTool } from "../read-file/index.ts";
import description from "./description.md";

const DEFAULT_LIMIT = 2_000;
/** A range is shown with a little around it: an edit at its border needs to see what it borders on. */
const AROUND = { before: 1, after: 3 };
const LEAST_BUDGET = 50 << 10;
const BUDGET_PER_LINE = 512;

export const hashlineReadTool: ToolDef<ArgsOf<typeof readFileParams>> = {
  ...readFileTool,
  description: description.trim(),
  access: async ({ file_path }, scope) => fileAccess("read", [(await selectedPath(file_path, scope)).path], scope),
  async execute({ file_path, offset, limit }, context) {
    const { path, selector } = await selectedPath(file_path, context);
    if (selector && (offset ?? limit) !== undefined) {
      throw new ToolFailure("Name the lines in the path or by offset and limit, not both.");
    }
    const whole = selector ? undefined : await readWhole(path, context, { offset, limit });
    if (whole) return whole;
    const bytes = await loadBytes(path, context);
    const mediaType = imageType(bytes);
    if (mediaType) return imageResult(path, bytes, mediaType, context);
    const { lines, tag } = textLines(path, bytes, context);
    const total = lines.length;
    const first = offset ?? 1;
    if (first > Math.max(1, total)) {
      throw new ToolFailure(`${path} has ${total} lines; offset ${first} is beyond its end.`);
    }
    const requestedRanges =
      selector?.ranges ?? (limit === undefined ? [{ first }] : [{ first, last: first + limit - 1 }]);
    const { rows, shown, next } = chosen(
      lines,
      requestedRanges.length === 0 ? [{ first: 1 }] : requestedRanges,
      selector?.raw ?? false,
    );
    const header = tag === undefined || selector?.raw ? [] : [`¶${path}#${tag}`];
    if (total === 0) rows.push("(empty file)");
    else if (shown === 0) rows.push(`(${path} has ${total} lines; the requested lines are beyond its end)`);
    if (next !== undefined) rows.push(`[${total - next + 1} more lines; continue with offset=${next}]`);
    return {
      content: [{ kind: "text", text: [...header, ...rows].join("\n") }],
      details: {
        filePath: path,
        totalLines: total,
        linesRead: shown,
        offset: Math.max(1, (requestedRanges[0]?.first ?? 1) - AROUND.before),
        truncated: next !== undefined,
        ...(tag === undefined ? {} : { tag }),
      },
      effects: "none",
    };
  },
};

interface Chosen {
  readonly rows: string[];
  readonly shown: number;
  /** The first line behind what is shown; absent at the end of the file. */
  readonly next?: number;
}

/** Lines of the ranges, as many as the line and byte limits of a read allow. */
function chosen(lines: readonly string[], ranges: readonly LineRange[], raw: boolean): Chosen {
  const spans = withSurroundings(ranges, lines.length, raw ? { before: 0, after: 0 } : AROUND);
  const bounded = ranges.every((range) => range.last !== undefined);
  const wanted = spans.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const most = bounded ? wanted : Math.min(wanted, DEFAULT_LIMIT);
  let room = Math.max(LEAST_BUDGET, most * BUDGET_PER_LINE);
  const rows: string[] = [];
  let shown = 0;
  let number = 0;
  for (const { first, last } of spans) {
    if (rows.length > 0 && !raw) rows.push("…");
    for (number = first; number <= last; number++) {
      const text = lines[number - 1] as string;
      const row = raw ? text : `${number}:${text}`;
      room -= Buffer.byteLength(row) + 1;
      if (shown === most || (room < 0 && shown > 0)) return { rows, shown, next: number };
      rows.push(row);
      shown++;
    }
  }
  return number > 0 && number <= lines.length ? { rows, shown, next: number } : { rows, shown };
}
