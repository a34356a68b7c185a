import type { JsonObject } from "@lathe/llm";
import { integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { sourceMeta } from "../../../base/truncate/meta.ts";
import type { Card, CardResult } from "../../../contract/card.ts";
import type { ToolContext, ToolDef, ToolResult } from "../../../contract/tool.ts";
import { fitPicture, pictureFacts } from "../../../files/read/fit-image.ts";
import { open } from "../../../files/read/open.ts";
import { type Window, windowOf } from "../../../files/read/window.ts";
import { MOST_IMAGE_BYTES } from "../../../files/target/images.ts";
import type { OpenedImage, OpenedText, OpenedView } from "../../../files/target/opened.ts";
import { countOf, exploringCard } from "../card.ts";
import { fileAccess, readTier } from "../file-access.ts";
import { READ_OUTPUT } from "../output.ts";
import description from "./description.md";

export const readFileParams = {
  file_path: text("Absolute, or relative to the working directory"),
  offset: optional(integer({ description: "First line to show, counted from 1", minimum: 1 })),
  limit: optional(integer({ description: "How many lines to show; 2000 when not given", minimum: 1 })),
};

const DEFAULT_LIMIT = 2_000;

export const readFileTool: ToolDef<StaticFields<typeof readFileParams>> = {
  name: "read_file",
  label: "Read",
  description: description.trim(),
  schema: object(readFileParams),
  tier: ({ file_path }) => readTier(file_path),
  replay: "safe",
  output: READ_OUTPUT,
  access: ({ file_path }, scope) => fileAccess("read", [file_path], scope),
  summary: ({ file_path }) => file_path,
  card: ({ file_path, offset }, result) => readCard(file_path, offset, result),
  async execute({ file_path, offset, limit }, context) {
    const opened = await open(file_path, context, { offset, limit });
    if (opened.kind !== "text") return otherResult(opened, context);
    if (opened.isWhole) return wholeResult(opened);
    const window = windowOf(opened, { offset, limit, defaultLimit: DEFAULT_LIMIT });
    const shown = window.advice ?? shownRows(window);
    const more =
      window.next === undefined
        ? ""
        : `\n[${window.total - window.next + 1} more lines; continue with offset=${window.next}]`;
    return {
      content: [{ kind: "text", text: [...opened.notes, `${shown}${more}`].join("\n") }],
      details: windowDetails(opened, window),
      effects: "none",
    };
  },
};

function shownRows({ rows, isRaw }: Window): string {
  if (isRaw) return rows.map((row) => row?.text ?? "").join("\n");
  const width = String(rows.at(-1)?.number ?? 0).length;
  return rows.map((row) => (row ? `${String(row.number).padStart(width)} | ${row.text}` : "…")).join("\n");
}

export function windowDetails({ path }: OpenedText, window: Window): JsonObject {
  const { total, shown, first, next, endedBy } = window;
  const truncation = next !== undefined && {
    direction: "head",
    truncatedBy: endedBy ?? "lines",
    totalLines: total,
    outputLines: shown,
    shownRange: { start: first, end: next - 1 },
    nextOffset: next,
  };
  return {
    filePath: path,
    totalLines: total,
    linesRead: shown,
    offset: first,
    truncated: next !== undefined,
    meta: { source: sourceMeta(path), ...(truncation ? { truncation } : {}) },
  };
}

/** The result for anything but text: an image, or a finished view. */
export async function otherResult(opened: OpenedImage | OpenedView, context: ToolContext): Promise<ToolResult> {
  if (opened.kind === "image") return imageResult(opened, context);
  const { path, text, details = { filePath: path } } = opened;
  return { content: [{ kind: "text", text }], details, effects: "none" };
}

/** A text that the model must follow, such as a skill, is always read to its end. */
export function wholeResult({ path, lines }: OpenedText): ToolResult {
  const { length } = lines;
  return {
    content: [{ kind: "text", text: length === 0 ? "(empty)" : lines.join("\n") }],
    details: { filePath: path, totalLines: length, linesRead: length, offset: 1, truncated: false },
    effects: "none",
    isWhole: true,
  };
}

export function readCard(path: string, offset: number | undefined, result: CardResult | undefined): Card {
  const from = offset === undefined || offset <= 1 ? path : `${path}:${offset}`;
  return exploringCard(["Reading", "Read", "Read"], from, result, ({ linesRead, mediaType }) =>
    typeof linesRead === "number" ? countOf(linesRead, "line") : typeof mediaType === "string" ? mediaType : undefined,
  );
}

const OF_WEB = { mostSide: 1568, mostBytes: 300 << 10 };

/** The model gets the image if it has vision and images are allowed. */
async function imageResult(opened: OpenedImage, context: ToolContext): Promise<ToolResult> {
  const { path, bytes, mediaType, notes } = opened;
  const facts = [...notes, pictureFacts(opened)].join("\n");
  const details = { filePath: path, mediaType, size: bytes.length };
  const { vision, images, imageInspector } = context.services;
  const instead = images?.blocks
    ? "Pictures are not sent to the model here (images.blockImages)."
    : imageInspector
      ? "Ask inspect_image what it shows."
      : vision
        ? undefined
        : "This model cannot look at images.";
  if (instead !== undefined)
    return { content: [{ kind: "text", text: `${facts}. ${instead}` }], details, effects: "none" };
  // Most images fit, and need no process to shrink them. Images from web pages are made smaller, because every later
  // request pays for them.
  const fit = opened.isOfWeb
    ? await fitPicture(opened, context, OF_WEB.mostBytes, OF_WEB)
    : bytes.length <= MOST_IMAGE_BYTES
      ? opened
      : await fitPicture(opened, context, 0);
  const note = "note" in fit && fit.note !== undefined ? `; ${fit.note}` : "";
  return {
    content: [
      { kind: "text", text: `${facts}${note}` },
      { kind: "image", image: { data: fit.bytes, mediaType: fit.mediaType } },
    ],
    details,
    effects: "none",
  };
}
