// read_file for hashline edits: a header with a tag of exactly this content, and lines as `N:text`.

import type { StaticFields } from "@lathe/llm/schema";
import type { ToolDef, ToolResult } from "../../../contract/tool.ts";
import { open } from "../../../files/read/open.ts";
import { windowOf } from "../../../files/read/window.ts";
import type { OpenedText } from "../../../files/target/opened.ts";
import { otherResult, type readFileParams, readFileTool, wholeResult, windowDetails } from "../read-file/index.ts";
import description from "./description.md";

const DEFAULT_LIMIT = 2_000;
/** Extra lines around a range, because an edit at its border needs to see what comes before and after. */
const AROUND = { before: 1, after: 3 };
const ROOM = { least: 50 << 10, perLine: 512 };

export const hashlineReadTool: ToolDef<StaticFields<typeof readFileParams>> = {
  ...readFileTool,
  description: description.trim(),
  async execute({ file_path, offset, limit }, context) {
    const opened = await open(file_path, context, { offset, limit });
    if (opened.kind !== "text") return otherResult(opened, context);
    return opened.isWhole ? wholeResult(opened) : hashlineResult(opened, { offset, limit });
  },
};

export interface HashlineWindow {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  /** Lines to read if the call names no end. */
  readonly defaultLimit?: number | undefined;
  /** Show the lines without numbers. */
  readonly isBare?: boolean | undefined;
  /** Tells the model how to read on from a line with this tool. */
  readonly onward?: ((line: number) => string) | undefined;
}

export function hashlineResult(
  opened: OpenedText,
  { offset, limit, defaultLimit, isBare = false, onward }: HashlineWindow,
): ToolResult {
  const window = windowOf(opened, {
    offset,
    limit,
    defaultLimit: defaultLimit ?? DEFAULT_LIMIT,
    around: AROUND,
    room: ROOM,
  });
  const { rows, isRaw, advice, next, total } = window;
  const { path, tag, notes } = opened;
  const header = tag === undefined || isRaw ? [] : [`¶${path}#${tag}`];
  const lines = rows.map((row) => (row ? (isRaw || isBare ? row.text : `${row.number}:${row.text}`) : "…"));
  if (advice !== undefined) lines.push(advice);
  if (next !== undefined) {
    lines.push(`[${total - next + 1} more lines; continue with ${onward?.(next) ?? `offset=${next}`}]`);
  }
  return {
    content: [{ kind: "text", text: [...notes, ...header, ...lines].join("\n") }],
    details: { ...windowDetails(opened, window), ...(tag === undefined ? {} : { tag }) },
    effects: "none",
  };
}
