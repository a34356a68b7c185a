// Malicious documents: each ends with one clear line, and the same parser process or a new one reads the next file.

import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { strToU8, type Zippable, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../../test/programs.ts";
import { type FormatBench, formatBench } from "../../../../test/support/format-bench.ts";
import { Parser } from "../../parser/parser.ts";
import { documentFormat } from "./index.ts";

/** `level`: 0 stores the parts uncompressed, which takes a tenth of the time if there are many. */
const zip = (parts: Record<string, string | Uint8Array>, level?: 0): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, typeof part === "string" ? strToU8(part) : part]),
      ) as Zippable,
      level === undefined ? {} : { level },
    ),
  );
const docx = (body: string, prolog = ""): Buffer =>
  zip({ "word/document.xml": `<?xml version="1.0"?>${prolog}<w:document><w:body>${body}</w:body></w:document>` });
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Both headers of the only part state a wrong size. */
function withDeclaredSize(archive: Buffer, size: number): Buffer {
  const copy = Buffer.from(archive);
  copy.writeUInt32LE(size, copy.indexOf("PK\x03\x04", 0, "latin1") + 22);
  copy.writeUInt32LE(size, copy.indexOf("PK\x01\x02", 0, "latin1") + 24);
  return copy;
}

/** Objects from number 1 on; there is no cross-reference table, so it must be rebuilt. */
const pdf = (objects: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([
    Buffer.from("%PDF-1.7\n"),
    ...objects.map((object, i) =>
      Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]),
    ),
    Buffer.from("trailer\n<< /Root 1 0 R >>\n%%EOF\n"),
  ]);
const stream = (content: Buffer, more = ""): Buffer =>
  Buffer.concat([
    Buffer.from(`<< /Length ${content.length} ${more} >>\nstream\n`),
    content,
    Buffer.from("\nendstream"),
  ]);
const onePage = (content: Buffer, resources = ""): Buffer =>
  pdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << ${resources} >> >>`,
    content,
    stream(
      Buffer.from("/Me Do"),
      "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /Me 5 0 R >> >>",
    ),
  ]);

const sheet = (rows: string) =>
  zip({
    "xl/workbook.xml": `<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="s.xml"/></Relationships>`,
    "xl/sharedStrings.xml": `<sst><si><t>${"long ".repeat(20_000)}</t></si></sst>`,
    "xl/s.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });

const laughs = `<!DOCTYPE x [<!ENTITY a "ha ha ha ha">${Array.from("bcdefghi", (name, i) => `<!ENTITY ${name} "${`&${"abcdefgh"[i]};`.repeat(10)}">`).join("")}]>`;

/** What creates the file, and the expected message; a pattern if some text can be read. */
const HOSTILE: readonly (readonly [string, string, () => Buffer, RegExp])[] = [
  [
    "a part that claims to unpack to 2 GB",
    "docx",
    () => withDeclaredSize(docx(paragraph("x")), 2 ** 31 - 1),
    /^\[Cannot read \.docx file: its parts unpack to more than 96 MB\]$/,
  ],
  [
    "a part that unpacks to more than it claims",
    "docx",
    () => withDeclaredSize(docx(paragraph("x".repeat(1e6))), 200),
    /^(\[Cannot read \.docx file: .*\]|x*)$/,
  ],
  [
    "thousands of parts",
    "docx",
    () => zip(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}`, ""])), 0),
    /^\[Cannot read \.docx file: it has more than 10000 parts\]$/,
  ],
  ["entities that multiply", "docx", () => docx(paragraph("&i;"), laughs), /^&i;$/],
  [
    "an entity that names a file",
    "docx",
    () => docx(paragraph("&f;"), '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'),
    /^&f;$/,
  ],
  [
    "elements nested a hundred thousand deep",
    "docx",
    () => docx("<w:tbl>".repeat(1e5)),
    /^\[Cannot read \.docx file: it is nested too deeply\]$/,
  ],
  [
    "half a file",
    "docx",
    () => docx(paragraph("x")).subarray(0, 60),
    /^\[Cannot read \.docx file: its archive is damaged or encrypted\]$/,
  ],
  [
    "an archive of something else",
    "docx",
    () => zip({ "a.xml": "<a/>" }),
    /^\[Cannot read \.docx file: it is an archive, but neither .*\]$/,
  ],
  [
    "a password",
    "docx",
    () => Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(2000)]),
    /^\[Cannot read \.docx file: it is encrypted, or not a document of this kind\]$/,
  ],
  [
    "one long text in a hundred thousand cells",
    "xlsx",
    () => sheet('<row><c t="s"><v>0</v></c></row>'.repeat(1e5)),
    /\[the rest of the document is left out\]$/,
  ],
  [
    "cells at the far end of every row",
    "xlsx",
    () => sheet('<row><c r="XFD1"><v>1</v></c></row>'.repeat(1000)),
    /^## Sheet: S\n\n(\| \[XFD\] 1 \|\n?){1000}$/,
  ],
  [
    "groups nested a million deep",
    "rtf",
    () => Buffer.from(`{\\rtf1 ${"{".repeat(1e6)}`),
    /^\[Cannot read \.rtf file: it is nested too deeply\]$/,
  ],
  [
    "binary data of an impossible length",
    "rtf",
    () => Buffer.from("{\\rtf1 before{\\pict\\bin2147483647 xx}after}"),
    /^before$/,
  ],
  [
    "pages that contain themselves",
    "pdf",
    () => pdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 99 >>"]),
    /^\[Cannot read \.pdf file: .+\]$/,
  ],
  [
    "a form that draws itself",
    "pdf",
    () => onePage(stream(Buffer.from("/Me Do")), "/XObject << /Me 5 0 R >>"),
    /^\[Cannot read \.pdf file: .+\]$/,
  ],
  [
    "arrays nested a million deep",
    "pdf",
    () => onePage(stream(Buffer.from("[".repeat(1e6)))),
    /^\[Cannot read \.pdf file: .+\]$/,
  ],
  [
    "a table of contents that leads to itself",
    "pdf",
    () =>
      Buffer.from("%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R /Prev 9 >>\nstartxref\n9\n%%EOF"),
    /^\[Cannot read \.pdf file: .+\]$/,
  ],
  [
    "nothing but its first line",
    "pdf",
    () => Buffer.from("%PDF-1.7\n"),
    /^\[Cannot read \.pdf file: it is damaged .*\]$/,
  ],
  [
    "a list of contents that is not there",
    "epub",
    () => zip({ "META-INF/container.xml": '<rootfile full-path="../../etc/passwd"/>' }),
    /^\[Cannot read \.epub file: its list of contents is missing\]$/,
  ],
];

let bench: FormatBench;
beforeAll(async () => {
  bench = await formatBench(documentFormat);
  writeFileSync(join(bench.dir, "good.docx"), docx(paragraph("well")));
});
afterAll(() => bench.close());

describe("hostile documents", () => {
  it.each(HOSTILE)("%s in a .%s file ends with one line, and the next file is read", async (_, kind, make, said) => {
    writeFileSync(join(bench.dir, `bad.${kind}`), make());
    expect(await bench.text(`bad.${kind}`)).toMatch(said);
    expect(await bench.text("good.docx")).toBe("well");
  });

  it.skipIf(!has("catdoc")).each(["doc", "xls", "ppt"])("noise in an old .%s file ends with one line", async (kind) => {
    const noise = Buffer.concat([
      Buffer.from("d0cf11e0a1b11ae1", "hex"),
      readFileSync(process.execPath).subarray(0, 9000),
    ]);
    writeFileSync(join(bench.dir, `bad.${kind}`), noise);
    expect(await bench.text(`bad.${kind}`)).toMatch(new RegExp(`^\\[Cannot read \\.${kind} file: .+\\]$`));
  });

  it("a stream that unpacks to more than the process may hold ends with one line", async () => {
    const runs = Buffer.alloc(2 << 20, Buffer.from([129, 0])); // each pair expands to 128 bytes
    const bytes = onePage(stream(deflateSync(runs), "/Filter [/FlateDecode /RunLengthDecode]"));
    const job = { input: { bytes, extension: ".pdf" }, signal: new AbortController().signal, timeoutMs: 60_000 };
    const small = new Parser();
    await expect(small.run({ ...job, task: "document", memoryMb: 32 })).rejects.toThrow(
      /^it needs (too much|more than 32 MB of) memory$/,
    );
    await small.close();
  });

  it("a file that is too large is refused before it is loaded", async () => {
    writeFileSync(join(bench.dir, "large.pdf"), "%PDF-");
    truncateSync(join(bench.dir, "large.pdf"), 65 << 20);
    expect(await bench.text("large.pdf")).toBe(
      "[Cannot read .pdf file: it has 68157440 bytes, and at most 67108864 are read]",
    );
  });

  it("an interrupt ends the reading of a document", async () => {
    const signal = AbortSignal.abort();
    await expect(bench.read("good.docx", { signal })).rejects.toThrow("good.docx could not be read: interrupted.");
  });
});
