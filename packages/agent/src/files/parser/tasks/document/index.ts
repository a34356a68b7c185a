// A document as text. Its content decides the type, not its name.

import { CannotParse, type TaskInput } from "../types.ts";

export interface DocumentInput extends TaskInput {
  readonly bytes: Uint8Array;
  /** The file's extension, in lowercase, with the dot. */
  readonly extension: string;
}

export async function readDocument(input: TaskInput): Promise<string> {
  const { bytes, extension } = input as DocumentInput;
  const starts = (text: string): boolean => Buffer.from(text, "latin1").equals(bytes.subarray(0, text.length));
  if (starts("PK")) return packageText(bytes);
  if (starts("{\\rtf")) return (await import("./rtf.ts")).rtfText(bytes);
  if (starts("\xd0\xcf\x11\xe0")) return (await import("./old-office.ts")).oldOfficeText(bytes, extension);
  if (Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-")) return (await import("./pdf.ts")).pdfText(bytes);
  throw new CannotParse(`its content is not that of a ${extension} file`);
}

async function packageText(bytes: Uint8Array): Promise<string> {
  const { unpackParts: unpacked } = await import("./package-parts.ts");
  const parts = unpacked(bytes);
  if (parts.has("word/document.xml")) return (await import("./docx.ts")).docxText(parts);
  if (parts.has("xl/workbook.xml")) return (await import("./xlsx.ts")).xlsxText(parts);
  if (parts.has("ppt/presentation.xml")) return (await import("./pptx.ts")).pptxText(parts);
  if (parts.has("META-INF/container.xml")) return (await import("./epub.ts")).epubText(parts);
  throw new CannotParse("it is an archive, but neither a document, a workbook, a presentation nor a book");
}
