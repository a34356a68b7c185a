import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { contextFor, fullServices, run, temporary } from "../../../../test/edit/harness.ts";
import { applyPatchTool } from "./index.ts";

const wrap = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

async function patched(content: string, ...lines: string[]) {
  const { env, path } = temporary();
  await writeFile(path("f.py"), content);
  const result = await run(applyPatchTool, { patch: wrap("*** Update File: f.py", ...lines) }, contextFor(env));
  return { ...result, after: await readFile(path("f.py"), "utf8") };
}

describe("PA-02 where hunks land", () => {
  it("PA-02 K-16 the hint as enclosing signature and as the changed line itself", async () => {
    const before =
      'DEFAULT_TIMEOUT = 30\n\ndef load_config():\n    config = {}\n    config["debug"] = False\n    return config\n';
    const result = await patched(
      before,
      "@@ DEFAULT_TIMEOUT = 30",
      "-DEFAULT_TIMEOUT = 30",
      "+DEFAULT_TIMEOUT = 60",
      "@@ def load_config():",
      "     config = {}",
      '-    config["debug"] = False',
      '+    config["debug"] = True',
    );
    expect(result.after).toBe(before.replace("30", "60").replace("False", "True"));
  });

  it("PA-02 a hint chooses between equal places by the block it opens", async () => {
    const before = "def f():\n    x = 1\n    return 0\n\ndef g():\n    x = 1\n    return 0\n";
    const result = await patched(before, "@@ def g():", "-    return 0", "+    return 1");
    expect(result.after).toBe("def f():\n    x = 1\n    return 0\n\ndef g():\n    x = 1\n    return 1\n");
  });

  it("PA-02 without a hint equal places are refused with their line numbers", async () => {
    const before = "a\nb\na\nb\n";
    const result = await patched(before, "@@", " a", "-b", "+c");
    expect(result.text).toContain("f.py, hunk 1: its lines fit in 2 places (lines 1, 3)");
    expect(result.after).toBe(before);
  });

  it("PA-02 the search for a hunk starts after the hunk before it", async () => {
    const result = await patched("start\na\nb\na\n", "@@", " start", "-a", "+A", "@@", "-a", "+A2");
    expect(result.after).toBe("start\nA\nb\nA2\n");
  });

  it("PA-02 levels: trailing blanks, surrounding blanks with re-indentation, punctuation; context keeps its bytes", async () => {
    const trailing = await patched("x  \ny\n", "@@", " x", "-y", "+z");
    expect(trailing.after).toBe("x  \nz\n");
    expect(trailing.text).toContain("Note: f.py, hunk 1: matched ignoring trailing whitespace.");
    const indented = await patched("\tif a:\n\t\tb\n", "@@", " if a:", "-    b", "+    c", "+    d");
    expect(indented.after).toBe("\tif a:\n\t\tc\n\t\td\n");
    const folded = await patched("say “a”\nold – x\n", "@@", ' say "a"', "-old - x", "+new");
    expect(folded.after).toBe("say “a”\nnew\n");
  });

  it("PA-02 K-15 End of File ties a hunk to the end", async () => {
    const result = await patched("a\nb\na\n", "@@", "-a", "+c", "*** End of File");
    expect(result.after).toBe("a\nb\nc\n");
  });

  it("PA-02 a pure insertion goes after its hint, or to the end", async () => {
    expect((await patched("import os\nx\n", "@@ import os", "+import sys")).after).toBe("import os\nimport sys\nx\n");
    expect((await patched("a\nb", "@@", "+c")).after).toBe("a\nb\nc");
  });

  it("PA-02 a marker-like line with a blank before it is context when the file has it, a marker otherwise", async () => {
    const text = "one\n*** End of File\ntwo\n";
    const context = await patched(text, "@@", " one", " *** End of File", "-two", "+2");
    expect(context.after).toBe("one\n*** End of File\n2\n");
    const marker = await patched("a\nb\na\n", "@@", "-a", "+c", " *** End of File");
    expect(marker.after).toBe("a\nb\nc\n");
  });
});

describe("PA-03 effects", () => {
  it("PA-03 adds, updates, moves and deletes in one call and lists them", async () => {
    const { env, path } = temporary();
    await writeFile(path("run.sh"), "a\r\nb\r\n");
    await chmod(path("run.sh"), 0o755);
    await writeFile(path("gone.txt"), "x\n");
    await writeFile(path("m.txt"), "x\n");
    const patch = wrap(
      "*** Add File: new/deep/n.txt",
      "+one",
      "+two",
      "*** Update File: run.sh",
      "*** Move to: bin/run.sh",
      "@@",
      " a",
      "-b",
      "+B",
      "+C",
      "*** Delete File: gone.txt",
      "*** Update File: m.txt",
      "@@",
      "-x",
      "+y",
    );
    const result = await run(applyPatchTool, { patch }, contextFor(env));
    expect(result.text.split("\n").slice(0, 4)).toEqual([
      "A new/deep/n.txt",
      "R run.sh -> bin/run.sh",
      "D gone.txt",
      "M m.txt",
    ]);
    expect(await readFile(path("new/deep/n.txt"), "utf8")).toBe("one\ntwo\n");
    expect(await readFile(path("bin/run.sh"), "utf8")).toBe("a\r\nB\r\nC\r\n");
    expect((await stat(path("bin/run.sh"))).mode & 0o777).toBe(0o755);
    expect(await env.fileExists("run.sh")).toBe(false);
    expect(await env.fileExists("gone.txt")).toBe(false);
  });

  it("PA-03 the third file fails: the first two are byte-identical to before, and the failing line is named", async () => {
    const { env, path } = temporary();
    for (const name of ["a", "b", "c"]) await writeFile(path(name), `${name}1\n${name}2\n`);
    const patch = wrap(
      ...["a", "b"].flatMap((name) => [`*** Update File: ${name}`, "@@", `-${name}1`, "+x"]),
      ...["*** Update File: c", "@@", "-c1", "+x", "@@", " c2", "-missing line", "+x"],
    );
    const result = await run(applyPatchTool, { patch }, contextFor(env));
    expect(result.text).toContain('c, hunk 2: this line is not in the file: "missing line". Nothing was written.');
    for (const name of ["a", "b", "c"]) expect(await readFile(path(name), "utf8")).toBe(`${name}1\n${name}2\n`);
  });

  it("PA-03 a file that somebody changed since it was shown is not deleted before it is read again", async () => {
    const { env, path } = temporary();
    const context = contextFor(env, fullServices());
    const patch = wrap("*** Delete File: a");
    const show = async () => context.services.shownFiles?.record(env.resolve("a"), await readFile(path("a"), "utf8"));
    await writeFile(path("a"), "old\n");
    await show();
    await writeFile(path("a"), "old\nhours of work\n");
    const refused = await run(applyPatchTool, { patch }, context);
    expect(refused.text).toBe(
      "a has changed on disk since it was last shown, so it is not deleted. Read it again first. Nothing was written.",
    );
    expect(await readFile(path("a"), "utf8")).toBe("old\nhours of work\n");
    await show();
    expect((await run(applyPatchTool, { patch }, context)).text).toMatch(/^D a$/m);
  });

  it("PA-03 adding or moving onto an existing file overwrites it and says so", async () => {
    const { env, path } = temporary();
    for (const name of ["a", "b", "c"]) await writeFile(path(name), `${name}\n`);
    await writeFile(path("empty"), "");
    const attempt = async (...lines: string[]) =>
      (await run(applyPatchTool, { patch: wrap(...lines) }, contextFor(env))).text;
    const text = await attempt(
      "*** Add File: a",
      "+new",
      "*** Update File: b",
      "*** Move to: c",
      "*** Add File: empty",
      "+full",
    );
    expect(text).toMatch(/^M a\nR b -> c\nM empty\n/);
    expect(text).toContain("Note: overwrites a, which exists.");
    expect(text).toContain("Note: the move overwrites c, which exists.");
    expect(text).not.toContain("empty existed");
    const now = await Promise.all(["a", "c", "empty"].map((name) => readFile(path(name), "utf8")));
    expect(now).toEqual(["new\n", "b\n", "full\n"]);
    expect(await attempt("*** Add File: new", "+1", "*** Add File: new/below", "+2")).toContain("new would be a file");
  });

  it("PA-03 missing files, directories and patches that change nothing are refused", async () => {
    const { env, path } = temporary();
    await mkdir(path("dir"));
    await writeFile(path("f"), "a\n");
    const call = async (...lines: string[]) =>
      (await run(applyPatchTool, { patch: wrap(...lines) }, contextFor(env))).text;
    expect(await call("*** Delete File: no")).toContain("no does not exist");
    expect(await call("*** Update File: no", "@@", "-a", "+b")).toContain("no does not exist");
    expect(await call("*** Update File: dir", "@@", "-a", "+b")).toContain("is a directory");
    expect(await call("*** Update File: f", "@@", "-a", "+a")).toContain("leaves f exactly as it is");
  });

  it("PA-03 two updates of one file in a patch build on each other", async () => {
    const { env, path } = temporary();
    await writeFile(path("f"), "a\nb\n");
    const patch = wrap("*** Update File: f", "@@", "-a", "+A", "*** Update File: f", "@@", " A", "-b", "+B");
    await run(applyPatchTool, { patch }, contextFor(env));
    expect(await readFile(path("f"), "utf8")).toBe("A\nB\n");
  });

  it("PA-03 a file that changed on disk since it was shown is merged, or refused when the lines touch", async () => {
    const { env, path } = temporary();
    const services = fullServices();
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
    const shown = `${lines.join("\n")}\n`;
    await writeFile(path("f"), `top\n${shown}`);
    services.shownFiles?.record(env.resolve("f"), shown);
    const merged = await run(
      applyPatchTool,
      { patch: wrap("*** Update File: f", "@@", "-line 6", "+six") },
      contextFor(env, services),
    );
    expect(merged.text).toContain("merged with that change");
    expect(await readFile(path("f"), "utf8")).toBe(`top\n${shown.replace("line 6", "six")}`);
    services.shownFiles?.record(env.resolve("f"), shown);
    await writeFile(path("f"), shown.replace("line 6", "LINE 6"));
    const refused = await run(
      applyPatchTool,
      { patch: wrap("*** Update File: f", "@@", "-line 6", "+six") },
      contextFor(env, services),
    );
    expect(refused.text).toContain("in or next to the lines of this edit");
    expect(await readFile(path("f"), "utf8")).toBe(shown.replace("line 6", "LINE 6"));
  });
});
