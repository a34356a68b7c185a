// Writes that are not the text of a file: an address, a row of a database.

import {
  type CallScope,
  type Preview,
  type PreviewLine,
  type ToolContext,
  ToolFailure,
  type ToolResult,
} from "../../contract/tool.ts";
import { isConflictAddress } from "../formats/conflict/address.ts";
import { conflictPreview, writeConflicts } from "../formats/conflict/settle.ts";
import type { RowChange } from "../target/format.ts";
import { formatFile, targetOf } from "../target/target.ts";

/** Undefined if it is a file, or a text inside one. */
export async function writeAddressOrRow(
  path: string,
  content: string,
  scope: ToolContext,
): Promise<ToolResult | undefined> {
  const target = await targetOf(path, "write", scope);
  if (target.kind === "web") throw new ToolFailure(`${path} is a page of the web and cannot be written.`);
  if (target.kind === "address" && isConflictAddress(path)) return writeConflicts(path, content, scope);
  if (target.kind === "address") {
    await scope.services.schemes?.write(target.path, content, scope.signal);
    const size = Buffer.byteLength(content);
    return {
      content: [{ kind: "text", text: `Wrote ${path} (${size} bytes)` }],
      details: { filePath: path, size },
      effects: "done",
    };
  }
  const { format, located, inner, separator } = target;
  if (!format?.rows || separator === "") return undefined;
  if (separator === "?")
    throw new ToolFailure("SQLite write paths do not support query parameters. Nothing was written.");
  const change = await format.rows.write(formatFile(located, scope), inner, content, { planOnly: false });
  const lines = [change.summary, ...rowLines(change).map((line) => line.text)];
  return { content: [{ kind: "text", text: lines.join("\n") }], details: { filePath: path }, effects: "done" };
}

/** Undefined as for `writeAddressOrRow`. */
export async function previewAddressOrRow(
  path: string,
  content: string,
  scope: CallScope,
): Promise<Preview | undefined> {
  const target = await targetOf(path, "write", scope);
  if (target.kind === "address" && isConflictAddress(path)) {
    return conflictPreview(path, content, scope, ["file_path", "content"]);
  }
  if (target.kind !== "file") return { lines: [], shows: [] };
  const { format, located, inner, separator } = target;
  if (!format?.rows || separator !== ":") return undefined;
  const change = await format.rows.write(formatFile(located, scope), inner, content, { planOnly: true });
  return {
    lines: [{ text: `change ${path}`, kind: "heading" }, { text: change.summary, kind: "note" }, ...rowLines(change)],
    shows: ["file_path", "path", "content"],
  };
}

function rowLines({ before, after }: RowChange): PreviewLine[] {
  const lines = (text: string | undefined, mark: "-" | "+"): PreviewLine[] =>
    text === undefined
      ? []
      : text.split("\n").map((line) => ({ text: `${mark}${line}`, kind: mark === "-" ? "removed" : "added" }));
  return [...lines(before, "-"), ...lines(after, "+")];
}
