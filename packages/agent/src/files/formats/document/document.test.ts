import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../../test/programs.ts";
import { type FormatBench, formatBench } from "../../../../test/support/format-bench.ts";
import { documentFormat } from "./index.ts";

const SOURCE = `# First heading

A paragraph with **bold** text, an em—dash and ünïcödé.

## Second heading

- one
- two
    - nested
- three

1. first
2. second

| Name | Amount |
|------|--------|
| Ada  | 12     |
| Bob  | 3      |
`;

const words = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

// Debian's modules belong to Debian's python, whichever comes first on the path.
const PYTHON = "/usr/bin/python3";
const hasModules = (...names: string[]): boolean => {
  if (!existsSync(PYTHON)) return false;
  try {
    execFileSync(PYTHON, ["-c", `import ${names.join(", ")}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

let bench: FormatBench;
beforeAll(async () => {
  bench = await formatBench(documentFormat);
  writeFileSync(join(bench.dir, "source.md"), SOURCE);
});
afterAll(() => bench.close());

describe("documents", () => {
  it.skipIf(!has("pandoc")).each(["docx", "epub", "rtf", "pptx"])(
    "T-READ-7 a .%s file says what was written into it, in order",
    async (kind) => {
      bench.run("pandoc", "-s", "source.md", "-o", `made.${kind}`, "--metadata", "title=", "--slide-level=1");
      const text = await bench.text(`made.${kind}`);
      const expected = words(SOURCE);
      const said = words(text).filter((word) => !["Slide", "Untitled"].includes(word));
      if (kind === "pptx") for (const word of expected.filter((one) => !/^\d$/.test(one))) expect(said).toContain(word);
      else expect(said).toEqual(expected);
      expect(text).toMatch(kind === "pptx" ? /^## Slide \d: First heading$/m : /^# First heading$/m);
      expect(text).toContain("| Ada | 12 |");
    },
  );

  it.skipIf(!has("pandoc"))("T-READ-7 lists, tables and footnotes of a Word file keep their form", async () => {
    writeFileSync(join(bench.dir, "notes.md"), `${SOURCE}\nEnd.[^1]\n\n[^1]: The note.\n`);
    bench.run("pandoc", "notes.md", "-o", "notes.docx");
    const text = await bench.text("notes.docx");
    expect(text).toContain("- two\n  - nested\n- three");
    expect(text).toContain("1. first\n2. second");
    expect(text).toContain("| Name | Amount |\n| --- | --- |\n| Ada | 12 |\n| Bob | 3 |");
    expect(text).toMatch(/End\.\[\^(\d+)\]\n\n\[\^\1\]: The note\.$/);
  });

  it.skipIf(!hasModules("openpyxl"))(
    "T-READ-7 a workbook shows its sheets, dates, formulas and far cells",
    async () => {
      const program = `
import openpyxl, datetime
book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Costs & more"
sheet.append(["Item", "Price", "When"])
sheet.append(["Tea | milk", 2.5, datetime.date(2024, 2, 29)])
sheet.append(["Sum", "=SUM(B2:B2)", datetime.datetime(2024, 2, 29, 13, 5)])
sheet["XFD9"] = "far"
sheet["A12"] = True
book.create_sheet("Second").append([1, None, 3])
book.create_sheet("Empty").sheet_state = "hidden"
book.save("made.xlsx")`;
      bench.run(PYTHON, "-c", program);
      expect(await bench.text("made.xlsx")).toBe(
        [
          "## Sheet: Costs & more",
          "",
          "| Item | Price | When |",
          "| Tea \\| milk | 2.5 | 2024-02-29 |",
          "| Sum | =SUM(B2:B2) | 2024-02-29 13:05:00 |",
          "| [XFD] far |",
          "| TRUE |",
          "",
          "## Sheet: Second",
          "",
          "| 1 |  | 3 |",
          "",
          "## Sheet: Empty (hidden)",
          "",
          "(empty)",
        ].join("\n"),
      );
    },
  );

  it.skipIf(!has("xls2csv") || !hasModules("xlwt"))(
    "T-READ-7 an old workbook is read with catdoc's program",
    async () => {
      const program = `
import xlwt
book = xlwt.Workbook()
sheet = book.add_sheet("Old")
sheet.write(0, 0, "Ünï")
sheet.write(0, 1, 3.5)
book.add_sheet("Two").write(0, 0, "second")
book.save("made.xls")`;
      bench.run(PYTHON, "-c", program);
      expect(await bench.text("made.xls")).toBe("Ünï\t3.5\n[next sheet]\nsecond");
    },
  );

  it.skipIf(!has("chromium", "pdftotext"))(
    "T-READ-7 a PDF that Chromium printed says what pdftotext finds",
    async () => {
      const page = `<h1>Quarterly heading</h1><p>Some <b>bold</b> words, ünïcödé.</p><table><tr><td>Ada</td><td>12</td></tr></table>
      <p style="break-before: page">The second page.</p>`;
      writeFileSync(join(bench.dir, "page.html"), page);
      const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${join(bench.dir, "profile")}`];
      bench.run("chromium", ...flags, "--no-pdf-header-footer", "--print-to-pdf=page.pdf", "page.html");
      const text = await bench.text("page.pdf");
      const witness = words(bench.run("pdftotext", "page.pdf", "-"));
      expect(words(text.replace(/^\[page .*\]$/gm, ""))).toEqual(witness);
      expect(text).toMatch(/^\[page 1 of 2\]\nQuarterly heading\n/);
      expect(text).toContain("[page 2 of 2]\nThe second page.");
    },
  );

  it("T-READ-7 lines of a document can be chosen, and what only looks like one is read as text", async () => {
    writeFileSync(join(bench.dir, "a.rtf"), "{\\rtf1 one\\par two\\'e9 \\u8364?\\par}");
    expect(await bench.read("a.rtf")).toMatchObject({ kind: "text", text: "one\ntwoé €", isEditable: false });
    expect(documentFormat.claims("REPORT.PDF")).toBe(true);
    expect(documentFormat.recognises!(Buffer.from("plain words in a .doc"))).toBe(false);
    expect(documentFormat.recognises!(Buffer.from("\n\n%PDF-1.4"))).toBe(true);
  });

  it("T-READ-7 a Word file with the wrong ending is read by what it is", async () => {
    writeFileSync(join(bench.dir, "really-rtf.doc"), readFileSync(join(bench.dir, "a.rtf")));
    expect(await bench.text("really-rtf.doc")).toBe("one\ntwoé €");
  });
});
