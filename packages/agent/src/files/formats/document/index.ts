// Office documents and books, read as text: PDF, Word, Excel, PowerPoint, rich text, EPUB. The parser process parses
// them.

import { extname } from "node:path/posix";
import { ToolFailure } from "../../../contract/tool.ts";
import { ParserFailure, runParser } from "../../parser/run-parser.ts";
import type { Format, FormatContent } from "../../target/format.ts";

const EXTENSIONS = new Set(".pdf .docx .docm .xlsx .xlsm .pptx .pptm .epub .doc .xls .ppt .rtf".split(" "));
const BEGINNINGS = ["PK\x03\x04", "PK\x05\x06", "{\\rtf", "\xd0\xcf\x11\xe0", "%PDF-"].map((text) =>
  Buffer.from(text, "latin1"),
);
const MOST_BYTES = 64 << 20;

export const documentFormat: Format = {
  name: "document",
  claims: (fileName) => EXTENSIONS.has(extensionOf(fileName)),
  // Some programs write a few bytes before the PDF header.
  recognises: (head) => BEGINNINGS.some((beginning) => Buffer.from(head).includes(beginning)),
  separators: [],
  async read(file, { selector }): Promise<FormatContent> {
    const { path, scope, size } = file;
    const extension = extensionOf(path);
    const cannot = (why: string): FormatContent => ({ kind: "shown", text: `[Cannot read ${extension} file: ${why}]` });
    if (size > MOST_BYTES) return cannot(`it has ${size} bytes, and at most ${MOST_BYTES} are read`);
    try {
      const text = await runParser<string>("document", { bytes: await file.bytes(), extension }, { scope, path });
      return { kind: "text", text, inner: "", selector, isEditable: false };
    } catch (error) {
      if (error instanceof ParserFailure && !scope.signal.aborted) return cannot(error.why);
      throw error;
    }
  },
  list: async (file) => [
    {
      inner: "",
      size: file.size,
      text: async () => {
        const content = await documentFormat.read(file, { inner: "", separator: "" });
        if (content.kind === "text") return content.text;
        throw new ToolFailure(
          `${file.path} cannot be searched: ${content.kind === "shown" ? content.text : "no text"}`,
        );
      },
    },
  ],
};

const extensionOf = (fileName: string): string => extname(fileName).toLowerCase();
