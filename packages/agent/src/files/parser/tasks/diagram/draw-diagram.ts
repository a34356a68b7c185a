// A mermaid diagram as text for a terminal.

import { runInNewContext } from "node:vm";
import { missingPackage } from "../../../../base/optional-package.ts";
import { CannotParse, type TaskInput } from "../types.ts";
import { drawFlowchart } from "./draw-flowchart.ts";
import { FLOWCHART_HEADER, readFlowchart } from "./flowchart.ts";
import { readLines } from "./line-forms.ts";

export interface DiagramInput extends TaskInput {
  readonly mermaid: string;
  readonly useAscii: boolean;
  readonly paddingX?: number | undefined;
  readonly paddingY?: number | undefined;
  readonly boxBorderPadding?: number | undefined;
}

/** Drawing a hundred nodes takes a tenth of this. */
const MOST_MS = 500;
const KNOWN = "flowchart, sequenceDiagram, stateDiagram-v2, classDiagram, erDiagram or xychart-beta";

export async function drawDiagram(input: TaskInput): Promise<string> {
  const { mermaid, useAscii: wantsAscii, paddingX, paddingY, boxBorderPadding } = input as DiagramInput;
  const paddings = {
    ...(paddingX === undefined ? {} : { paddingX }),
    ...(paddingY === undefined ? {} : { paddingY }),
    ...(boxBorderPadding === undefined ? {} : { boxBorderPadding }),
  };
  const render = await renderer();
  const draw = (text: string, isFinal: boolean): string => {
    const useAscii = isFinal && wantsAscii;
    return interruptible(() => render(text, { ...paddings, useAscii, colorMode: "none" })).replace(/\s+$/, "");
  };
  const { text, line } = withoutPreamble(mermaid);
  const header = text.split("\n", 1)[0]?.trim() ?? "";
  if (header === "") throw new CannotParse(`the diagram is empty; begin with ${KNOWN}`);
  try {
    if (FLOWCHART_HEADER.test(text)) return drawFlowchart(readFlowchart(text, line), draw);
    const other = readLines(text, line);
    if (other === undefined)
      throw new CannotParse(`line ${line}: "${header}" cannot be drawn as text; it can be ${KNOWN}`);
    const drawn = draw(other.text, true);
    const lost = other.names.filter((name) => !showsName(drawn, name));
    if (lost.length > 0) throw new CannotParse(`the drawing would lack ${lost.join(", ")}; draw a smaller part`);
    return drawn.replace(/[ \t]+$/gm, "");
  } catch (error) {
    if (error instanceof CannotParse) throw error;
    throw new CannotParse(error instanceof Error ? error.message : String(error));
  }
}

/** If a line has no path, the library searches for one forever. */
function interruptible(work: () => string): string {
  const done: unknown = runInNewContext("work()", { work }, { timeout: MOST_MS });
  return String(done);
}

/** A long label may be broken into several lines, so each of its words is searched. */
function showsName(drawn: string, name: string): boolean {
  const words = name.replace(/^"|"$/g, "").split(/\s+|<br\s*\/?>/i);
  return words.every((word) => drawn.includes(word));
}

/**
 * Front matter, directives and comments do not affect the drawing. They become empty lines, so that line numbers stay
 * correct.
 */
function withoutPreamble(mermaid: string): { readonly text: string; readonly line: number } {
  const blank = (part: string): string => part.replace(/[^\n]/g, "");
  const text = mermaid
    .replace(/\r\n?/g, "\n")
    .replace(/^\s*---\n[\s\S]*?\n---(?=\n)/, blank)
    .replace(/%%\{[\s\S]*?\}%%/g, blank)
    .replace(/^[ \t]*%%.*$/gm, "");
  const before = /^\s*/.exec(text)?.[0] ?? "";
  return { text: text.slice(before.length).trimEnd(), line: before.split("\n").length };
}

async function renderer(): Promise<typeof import("beautiful-mermaid")["renderMermaidASCII"]> {
  try {
    return (await import("beautiful-mermaid")).renderMermaidASCII;
  } catch {
    throw new CannotParse(missingPackage("diagrams", "beautiful-mermaid"));
  }
}
