import type { Card, CardResult } from "../../contract/card.ts";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../contract/tool.ts";
import { imageType, MOST_IMAGE_BYTES } from "../../ops/read/images.ts";
import { numbered } from "../../ops/read/numbered.ts";
import { loadBytes, windowOf } from "../../ops/read/read-text.ts";
import { readWhole } from "../../ops/read/read-whole.ts";
import { counted, exploringCard } from "../card.ts";
import { fileAccess } from "../file-access.ts";
import { READ_OUTPUT } from "../output.ts";
import { type ArgsOf, integer, optional, parameters, text } from "../params.ts";
import description from "./description.md";

export const readFileParams = {
  file_path: text("Path of the file, absolute or relative to the working directory"),
  offset: optional(integer("First line to show, counted from 1", { minimum: 1 })),
  limit: optional(integer("How many lines to show; 2000 when not given", { minimum: 1 })),
};

const DEFAULT_LIMIT = 2_000;

export const readFileTool: ToolDef<ArgsOf<typeof readFileParams>> = {
  name: "read_file",
  label: "Read",
  description: description.trim(),
  schema: parameters(readFileParams),
  tier: "read",
  replay: "safe",
  output: READ_OUTPUT,
  access: ({ file_path }, scope) => fileAccess("read", [file_path], scope),
  summary: ({ file_path }) => file_path,
  card: ({ file_path, offset }, result) => readCard(file_path, offset, result),
  async execute(args, context) {
    const { file_path, offset = 1, limit = DEFAULT_LIMIT } = args;
    const whole = await readWhole(file_path, context, args);
    if (whole) return whole;
    const bytes = await loadBytes(file_path, context);
    const mediaType = imageType(bytes);
    if (mediaType) return imageResult(file_path, bytes, mediaType, context);
    const window = windowOf(file_path, bytes, context, offset, limit);
    const next = window.first + window.lines.length;
    const rest = window.total - next + 1;
    const shown = window.total === 0 ? "(empty file)" : numbered(window.lines, window.first);
    return {
      content: [
        { kind: "text", text: rest > 0 ? `${shown}\n[${rest} more lines; continue with offset=${next}]` : shown },
      ],
      details: {
        filePath: file_path,
        totalLines: window.total,
        linesRead: window.lines.length,
        offset: window.first,
        truncated: rest > 0,
      },
      effects: "none",
    };
  },
};

export function readCard(path: string, offset: number | undefined, result: CardResult | undefined): Card {
  const from = offset === undefined || offset <= 1 ? path : `${path}:${offset}`;
  return exploringCard(["Reading", "Read", "Read"], from, result, ({ linesRead, mediaType }) =>
    typeof linesRead === "number" ? counted(linesRead, "line") : typeof mediaType === "string" ? mediaType : undefined,
  );
}

export function imageResult(path: string, bytes: Uint8Array, mediaType: string, context: ToolContext): ToolResult {
  const note = `${path}: ${mediaType}, ${bytes.length} bytes`;
  const details = { filePath: path, mediaType, size: bytes.length };
  if (!context.services.vision) {
    return {
      content: [{ kind: "text", text: `${note}. This model cannot look at images.` }],
      details,
      effects: "none",
    };
  }
  if (bytes.length > MOST_IMAGE_BYTES) {
    throw new ToolFailure(
      `${note}. Pictures of up to ${MOST_IMAGE_BYTES} bytes can be looked at; make a smaller copy with a program in the shell and read that.`,
    );
  }
  return {
    content: [
      { kind: "text", text: note },
      { kind: "image", image: { data: bytes, mediaType } },
    ],
    details,
    effects: "none",
  };
}
