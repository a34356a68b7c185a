// Notebooks are read and edited as the text of their cells (T-READ-7); `:raw` is the JSON. Anything that is not a
// version 4 notebook, such as one with conflict markers, is treated as plain text.

import { ToolFailure } from "../../../contract/tool.ts";
import { documentText } from "../../edit/document.ts";
import type { Format, PartCodec } from "../../target/format.ts";
import { cellsText, parseCellsText } from "./cells-text.ts";
import { EMPTY_NOTEBOOK, type Notebook, parseNotebook, withCells } from "./notebook-json.ts";

const MOST_BYTES = 64 << 20;

export const notebookFormat: Format = {
  name: "notebook",
  claims: (fileName) => /\.ipynb$/i.test(fileName),
  separators: [],
  async read(file, { selector }) {
    if (file.size > MOST_BYTES) {
      throw new ToolFailure(
        `${file.path} has ${file.size} bytes, too many to read whole. Print a part of it with the shell.`,
      );
    }
    const bytes = await file.bytes();
    const notebook = selector?.raw ? undefined : parseNotebook(bytes);
    if (notebook)
      return {
        kind: "text",
        text: cellsText(notebook.cells),
        inner: "",
        selector,
        isEditable: true,
        notes: notesOn(file.path, notebook),
      };
    const notes = selector?.raw ? [] : [`${file.path} is not a valid version 4 notebook, so this is its raw text.`];
    return { kind: "text", text: documentText(bytes), inner: "", selector, isEditable: !selector?.raw, notes };
  },
  list: async (file) => [
    {
      inner: "",
      size: file.size,
      text: async () => {
        const bytes = await file.bytes();
        const notebook = parseNotebook(bytes);
        return notebook ? cellsText(notebook.cells) : documentText(bytes);
      },
    },
  ],
  parts: {
    ofWholeFile: true,
    normalise: (inner) => inner,
    extract: async (file) => {
      const notebook = file && parseNotebook(file);
      return notebook ? Buffer.from(cellsText(notebook.cells)) : file;
    },
    replace: async (file, parts) => {
      const text = parts.get("");
      return text ? writeCells(file, text) : new Uint8Array(0);
    },
  } satisfies PartCodec,
};

const notesOn = (path: string, { cells }: Notebook): string[] =>
  cells.some(({ type }) => type === "code") ? [`Outputs are not shown; ${path}:raw has them.`] : [];

function writeCells(file: Uint8Array | undefined, text: Uint8Array): Uint8Array {
  // A whole notebook as JSON, or the text of what was not a notebook before.
  const notebook =
    file === undefined || file.length === 0 ? parseNotebook(Buffer.from(EMPTY_NOTEBOOK)) : parseNotebook(file);
  if (!notebook || parseNotebook(text)) return text;
  const cells = parseCellsText(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8"));
  if (!cells) {
    throw new ToolFailure(
      "The text of a notebook begins with a line like `# %% [code] cell:0` for each cell, or is the whole JSON. Nothing was written.",
    );
  }
  return Buffer.from(withCells(notebook, cells));
}
