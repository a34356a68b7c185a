// PDF files: the text of every page, in lines as laid out.

import { missingPackage } from "../../../../base/optional-package.ts";
import { CannotParse } from "../types.ts";
import { TextWriter } from "./text-writer.ts";

/** A run of text from the library: where its baseline begins, and how wide it is. */
interface Run {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

export async function pdfText(bytes: Uint8Array): Promise<string> {
  const document = await openPdf(bytes);
  const writer = new TextWriter();
  let isEmpty = true;
  for (let number = 1; number <= document.numPages && !writer.isFull; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const lines = linesOf(items.filter((item) => "str" in item) as unknown as Run[]);
    page.cleanup();
    if (lines.length > 0) isEmpty = false;
    writer.blank();
    writer.line(`[page ${number} of ${document.numPages}]`);
    for (const line of lines) writer.paragraph(line);
  }
  if (isEmpty) throw new CannotParse("it contains no text, perhaps only pictures");
  return writer.text();
}

async function openPdf(bytes: Uint8Array) {
  const { getDocumentProxy } = await unpdfPackage();
  try {
    return await getDocumentProxy(Uint8Array.from(bytes), {
      isEvalSupported: false,
      useSystemFonts: false,
      verbosity: 0,
    });
  } catch (error) {
    if (/password/i.test(String(error))) throw new CannotParse("it is protected by a password");
    throw new CannotParse(`it is damaged (${(error as Error).message})`);
  }
}

/** Runs at the same height form a line; a gap between two of them is a space, a wide one several. */
function linesOf(runs: readonly Run[]): string[] {
  const lines: string[] = [];
  let line = "";
  let end: { x: number; y: number } | undefined;
  const finish = (): void => {
    if (line.trim() !== "") lines.push(line.trimEnd());
    line = "";
    end = undefined;
  };
  for (const run of runs) {
    const [, , , , x = 0, y = 0] = run.transform;
    const size = run.height || Math.abs(run.transform[3] ?? 0) || 10;
    if (run.str !== "") {
      if (end && Math.abs(end.y - y) > size * 0.5) finish();
      const gap = end ? x - end.x : 0;
      if (gap > size * 1.5 && !/\s$/.test(line) && line !== "") line += "   ";
      else if (gap > size * 0.15 && !/\s$/.test(line) && !/^\s/.test(run.str)) line += " ";
      line += run.str;
      end = { x: x + run.width, y };
    }
    if (run.hasEOL) finish();
  }
  finish();
  return lines;
}

async function unpdfPackage(): Promise<typeof import("unpdf")> {
  try {
    return await import("unpdf");
  } catch {
    throw new CannotParse(missingPackage("PDF files", "unpdf"));
  }
}
