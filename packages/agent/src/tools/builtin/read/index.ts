// read of the profile `lathe`: one path parameter for everything.

import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef, ToolResult } from "../../../contract/tool.ts";
import { open } from "../../../files/read/open.ts";
import { outlineOf } from "../../../files/read/outline.ts";
import type { OpenedText } from "../../../files/target/opened.ts";
import { fileAccess, readTier } from "../file-access.ts";
import { hashlineResult } from "../hashline-read/index.ts";
import { READ_OUTPUT } from "../output.ts";
import { otherResult, readCard, wholeResult } from "../read-file/index.ts";
import description from "./description.md";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    /** How `read` shows files. */
    readonly reading?: ReadingOptions;
  }
}

/** How the tool `read` shows files. */
export interface ReadingOptions {
  /** Lines that a read without an end returns, 1 to 3000; 2000 when absent. */
  readonly defaultLimit?: number | undefined;
  /** False: long source files are shown in full. */
  readonly summarize?: boolean | undefined;
  /** False: no header with a tag of the content, for edit variants that do not use it. */
  readonly hashLines?: boolean | undefined;
  /** False: no line numbers either, if there is no header. */
  readonly lineNumbers?: boolean | undefined;
}

const MOST_LINES = 3_000;

const params = { path: text("What to read; a selector such as :50-80 may follow") };

export const readTool: ToolDef<StaticFields<typeof params>> = {
  name: "read",
  label: "Read",
  description: description.trim(),
  schema: object(params),
  tier: ({ path }) => readTier(path),
  replay: "safe",
  output: { ...READ_OUTPUT, chars: 60_000 },
  access: ({ path }, scope) => fileAccess("read", [path], scope),
  summary: ({ path }) => path,
  card: ({ path }, result) => readCard(path, undefined, result),
  async execute({ path }, context) {
    const found = await open(path, context, { directories: true });
    if (found.kind !== "text") return otherResult(found, context);
    if (found.isWhole) return wholeResult(found);
    const { reading } = context.services;
    const opened = reading?.hashLines === false ? { ...found, tag: undefined } : found;
    const outline =
      opened.selector || !opened.isPlainFile || reading?.summarize === false
        ? undefined
        : await outlineOf(opened.path, opened.lines, context.services.syntax);
    if (outline) return outlineResult(opened, outline);
    const defaultLimit = reading?.defaultLimit && Math.min(Math.max(1, reading.defaultLimit), MOST_LINES);
    const isBare = reading?.hashLines === false && reading.lineNumbers === false;
    return hashlineResult(opened, { defaultLimit, isBare, onward: (line) => `${opened.path}:${line}-` });
  },
};

function outlineResult(
  { path, tag, notes, lines }: OpenedText,
  { rows, elidedSpans, elidedLines, footer }: NonNullable<Awaited<ReturnType<typeof outlineOf>>>,
): ToolResult {
  const shown = rows.map((row) => ("text" in row ? `${row.number}:${row.text}` : "…"));
  const header = tag === undefined ? [] : [`¶${path}#${tag}`];
  return {
    content: [{ kind: "text", text: [...notes, ...header, ...shown, footer].join("\n") }],
    details: {
      filePath: path,
      totalLines: lines.length,
      linesRead: lines.length - elidedLines,
      offset: 1,
      truncated: false,
      summary: { lines: lines.length, elidedSpans, elidedLines },
      ...(tag === undefined ? {} : { tag }),
    },
    effects: "none",
  };
}
