// Describes a call for people: one line for cards and transcripts, and a full preview for whoever approves it. Made
// from the exact arguments that will execute; it shows every argument, and no text can hide in it.

import type { JsonObject, JsonValue } from "@lathe/llm";
import { visibleLine, visibleText } from "../../base/text/visible.ts";
import type { CallScope, Preview, PreviewLine, ToolDef } from "../../contract/tool.ts";

const MOST_SUMMARY = 400;

/** `tool` is absent if no tool of this name is offered. */
export function summaryOf(tool: ToolDef | undefined, args: JsonObject): string {
  const text = tool?.summary ? describeCall(tool, args) : undefined;
  return visibleLine((text ?? JSON.stringify(args)).slice(0, MOST_SUMMARY));
}

/** The call may only just have begun, so its arguments may not fit the schema. */
function describeCall(tool: ToolDef, args: JsonObject): string | undefined {
  try {
    const text: unknown = tool.summary?.(args);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined; // the arguments are shown instead
  }
}

/** The tool's own preview, then every argument that the tool's preview does not show. */
export async function previewOf(tool: ToolDef, args: JsonObject, scope: CallScope): Promise<Preview> {
  const own: Preview = (await tool.preview?.(args, scope)) ?? { lines: [], shows: [] };
  const others = Object.entries(args).filter(([name]) => !own.shows.includes(name));
  const lines = [...own.lines, ...others.flatMap(([name, value]) => argumentLines(name, value))];
  return { ...own, shows: Object.keys(args), lines: lines.map(visible) };
}

function argumentLines(name: string, value: JsonValue | undefined): PreviewLine[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  const rows = text.split("\n");
  if (rows.length === 1) return [{ text: `${name}: ${text}`, kind: "note" }];
  return [{ text: `${name}:`, kind: "note" }, ...rows.map((row) => ({ text: `  ${row}` }))];
}

const ONE_LINE: readonly PreviewLine["kind"][] = ["question", "heading", "note"];

/** A path may contain a line break; the text after it must not look like a line of its own. */
function visible({ text, ...line }: PreviewLine): PreviewLine {
  return {
    ...line,
    text: visibleText(text).replaceAll("\n", line.kind !== undefined && ONE_LINE.includes(line.kind) ? "\\n" : "\n  "),
  };
}
