// A text that the model is to follow, such as a skill, is read to its end.

import type { CallScope, ToolResult } from "../../contract/tool.ts";
import { loadBytes, textLines } from "./read-text.ts";

/** Longer ones are read in pieces, like files. */
const MOST_BYTES = 512 << 10;

/** Undefined: the path is read like any file. */
export async function readWhole(
  path: string,
  context: CallScope,
  { offset, limit }: { readonly offset?: number | undefined; readonly limit?: number | undefined },
): Promise<ToolResult | undefined> {
  if (offset !== undefined || limit !== undefined || !context.services.schemes?.readsWhole(path)) return undefined;
  const bytes = await loadBytes(path, context);
  if (bytes.length > MOST_BYTES || bytes.includes(0)) return undefined;
  const { lines } = textLines(path, bytes, context);
  const { length } = lines;
  return {
    content: [{ kind: "text", text: length === 0 ? "(empty)" : lines.join("\n") }],
    details: { filePath: path, totalLines: length, linesRead: length, offset: 1, truncated: false },
    effects: "none",
    isWhole: true,
  };
}
