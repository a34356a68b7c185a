// Notebooks written by nbformat, and nbformat's opinion of ours.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsText, parseCellsText } from "../../src/files/formats/notebook/cells-text.ts";
import { notebookFormat } from "../../src/files/formats/notebook/index.ts";
import { applyPatchTool } from "../../src/tools/builtin/apply-patch/index.ts";
import { editFileTool } from "../../src/tools/builtin/edit-file/index.ts";
import { hashlineEditTool } from "../../src/tools/builtin/hashline/index.ts";
import { readFileTool } from "../../src/tools/builtin/read-file/index.ts";
import { toolBench } from "../call-tool.ts";
import { scene } from "./scene.ts";

const python = ["/usr/bin/python3", "python3"].find((program) => {
  try {
    execFileSync(program, ["-c", "import nbformat"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

const MADE = `
import nbformat
from nbformat.v4 import new_notebook, new_code_cell, new_markdown_cell, new_raw_cell, new_output
nb = new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}, "zed": 1})
nb.cells = [
  new_markdown_cell("# Title\\n\\ntext ☃"),
  new_code_cell("import os\\nprint('é')\\n", execution_count=3, outputs=[new_output("stream", text="é\\n")], metadata={"tags": ["keep"]}),
  new_code_cell(""),
  new_raw_cell("raw\\n# %% [code] cell:7\\n## %% [raw]\\nend"),
  new_code_cell("1 + 1", execution_count=4, outputs=[new_output("execute_result", {"text/plain": "2", "image/png": "AAAA"}, execution_count=4)]),
]
nbformat.write(nb, "a.ipynb")
`;

const VALIDATE = "import nbformat,sys\nfor file in sys.argv[1:]: nbformat.validate(nbformat.read(file, 4))";
const validate = (...files: readonly string[]) => execFileSync(python as string, ["-c", VALIDATE, ...files]);

/** Made once, because nbformat takes a second to start. */
let template: string | undefined;

const made = (dir: string): string => {
  const path = join(dir, "a.ipynb");
  if (template === undefined) execFileSync(python as string, ["-c", MADE], { cwd: dir });
  else writeFileSync(path, template);
  template ??= readFileSync(path, "utf8");
  return template;
};

describe.skipIf(python === undefined)("notebooks of nbformat", () => {
  it("T-READ-7 a notebook reads as its cells, :raw as its JSON", async () => {
    using s = scene();
    const json = made(s.dir);
    expect(await s.text(notebookFormat, "a.ipynb")).toBe(
      [
        "# %% [markdown] cell:0",
        "# Title",
        "",
        "text ☃",
        "# %% [code] cell:1",
        "import os",
        "print('é')",
        "",
        "# %% [code] cell:2",
        "# %% [raw] cell:3",
        "raw",
        "## %% [code] cell:7",
        "### %% [raw]",
        "end",
        "# %% [code] cell:4",
        "1 + 1",
        "",
      ].join("\n"),
    );
    const raw = await notebookFormat.read(s.file("a.ipynb"), {
      inner: "",
      separator: "",
      selector: { raw: true, ranges: [], conflicts: false },
    });
    expect(raw).toMatchObject({ text: json, isEditable: false });
  });

  it("T-READ-7 an unchanged text gives the same bytes; a changed cell changes its source and nothing else", async () => {
    using s = scene();
    const json = made(s.dir);
    const text = await s.text(notebookFormat, "a.ipynb");
    await s.set(notebookFormat, "a.ipynb", "", text);
    expect(s.bytes("a.ipynb").toString()).toBe(json);
    await s.set(notebookFormat, "a.ipynb", "", text.replace("import os", "import sys"));
    expect(s.bytes("a.ipynb").toString()).toBe(json.replace("import os", "import sys"));
    await s.set(notebookFormat, "a.ipynb", "", text.replace("1 + 1\n", "a = 1\n\na + 1\n"));
    expect(s.bytes("a.ipynb").toString()).toBe(json.replace('    "1 + 1"', '    "a = 1\\n",\n    "\\n",\n    "a + 1"'));
    validate(join(s.dir, "a.ipynb"));
  });

  it("T-READ-7 cells are added, removed, moved and change their kind; nbformat accepts all of it", async () => {
    using s = scene();
    const json = made(s.dir);
    const before = JSON.parse(json).cells;
    const text =
      "# %% [code] cell:4\n1 + 1\n# %% [markdown]\nnew ñ\n# %% [code] cell:0\nx = 1\n# %% [code] cell:new\nlast\n# %% [code] cell:4\n1 + 1\n";
    await s.set(notebookFormat, "a.ipynb", "", text);
    validate(join(s.dir, "a.ipynb"));
    const after = JSON.parse(s.bytes("a.ipynb").toString()).cells;
    expect(after).toMatchObject([
      before[4],
      { cell_type: "markdown", source: ["new ñ"] },
      { cell_type: "code", id: before[0].id, source: ["x = 1"], outputs: [] },
      { source: ["last"] },
      { source: ["1 + 1"], outputs: [] },
    ]);
    expect(new Set(after.map(({ id }: { id: string }) => id)).size).toBe(5);
    expect(await s.text(notebookFormat, "a.ipynb")).toBe(
      "# %% [code] cell:0\n1 + 1\n# %% [markdown] cell:1\nnew ñ\n# %% [code] cell:2\nx = 1\n# %% [code] cell:3\nlast\n# %% [code] cell:4\n1 + 1\n",
    );
  });

  it("T-READ-7 a notebook of version 4.4 gets no ids, a new one is valid, JSON is taken as it is, prose is refused", async () => {
    using s = scene();
    const old = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}';
    s.write("old.ipynb", old);
    await s.set(notebookFormat, "old.ipynb", "", "# %% [code]\nx\n");
    expect(s.bytes("old.ipynb").toString()).toBe(
      '{"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": ["x"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}',
    );
    await s.set(notebookFormat, "new.ipynb", "", "# %% [code]\nx\n# %% [raw]\n");
    validate(join(s.dir, "old.ipynb"), join(s.dir, "new.ipynb"));
    await s.set(notebookFormat, "old.ipynb", "", old);
    expect(s.bytes("old.ipynb").toString()).toBe(old);
    await expect(s.set(notebookFormat, "old.ipynb", "", "hello")).rejects.toThrow(
      "The text of a notebook begins with a line like `# %% [code] cell:0`",
    );
  });

  it("T-READ-7 every edit dialect writes cells; a deleted notebook is gone", async () => {
    const bench = await toolBench();
    try {
      bench.services.formats = [notebookFormat];
      const json = made(bench.dir);
      const disk = () => readFileSync(join(bench.dir, "a.ipynb"), "utf8");
      await bench.text(readFileTool, { file_path: "a.ipynb" });
      await bench.text(editFileTool, { file_path: "a.ipynb", old_string: "import os", new_string: "import re" });
      expect(disk()).toBe(json.replace("import os", "import re"));
      await bench.text(applyPatchTool, {
        patch: "*** Begin Patch\n*** Update File: a.ipynb\n@@\n-import re\n+import io\n*** End Patch",
      });
      expect(disk()).toBe(json.replace("import os", "import io"));
      const { tag } = bench.services.shownFiles?.latest(join(bench.dir, "a.ipynb")) ?? { tag: "" };
      await bench.text(hashlineEditTool, { input: `¶a.ipynb#${tag}\ninsert tail:\n+# %% [markdown]\n+the end\n` });
      validate(join(bench.dir, "a.ipynb"));
      expect(JSON.parse(disk()).cells.at(-1)).toMatchObject({ cell_type: "markdown", source: ["the end"] });
      // What was recorded is what the next read returns: cells have their numbers.
      expect(bench.services.shownFiles?.latest(join(bench.dir, "a.ipynb"))?.text).toContain(
        "# %% [markdown] cell:5\nthe end\n",
      );
      const move = bench.text(applyPatchTool, {
        patch:
          "*** Begin Patch\n*** Update File: a.ipynb\n*** Move to: b.ipynb\n@@\n-import io\n+import os\n*** End Patch",
      });
      await expect(move).rejects.toThrow("a.ipynb is not plain text; move it with the shell");
      await bench.text(applyPatchTool, { patch: "*** Begin Patch\n*** Delete File: a.ipynb\n*** End Patch" });
      expect(existsSync(join(bench.dir, "a.ipynb"))).toBe(false);
    } finally {
      await bench.close();
    }
  });

  it("a notebook with conflict markers is edited as the text it is", async () => {
    using s = scene();
    const json = made(s.dir);
    writeFileSync(join(s.dir, "a.ipynb"), `<<<<<<< HEAD\n${json}`);
    expect(await s.read(notebookFormat, "a.ipynb")).toMatchObject({ text: `<<<<<<< HEAD\n${json}`, isEditable: true });
    await s.set(notebookFormat, "a.ipynb", "", json);
    validate(join(s.dir, "a.ipynb"));
  });
});

it("any cells survive the way to text and back, also those that look like headers", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "# %% [code] cell:1",
      "## %% [raw]",
      "# %%",
      "",
      "### %% [markdown] cell:new ",
      "\r",
      "\u2028# %% [code]",
    ),
  );
  const cell = fc.record({
    type: fc.constantFrom("code" as const, "markdown" as const, "raw" as const),
    source: fc.array(line, { maxLength: 5 }).map((lines) => lines.join("\n")),
  });
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 6 }), (cells) => {
      expect(parseCellsText(cellsText(cells))).toEqual(cells.map((one, number) => ({ ...one, number })));
    }),
    { numRuns: process.env["LATHE_LONG"] ? 20_000 : 100 },
  );
});
