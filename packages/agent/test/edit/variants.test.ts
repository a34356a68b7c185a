import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ShownFiles } from "../../src/files/edit/shown-files.ts";
import { editVariant, editVariants } from "../../src/tools/builtin/edit-variant.ts";
import { type Case, cases, changesNothing, intended, textOf } from "./generate.ts";
import { contextFor, run, temporary } from "./harness.ts";
import { hashline, oldAndNew, unified, v4a, v4aUpdate } from "./print.ts";

const style = { context: 3, hint: "none", wrap: "none", crlf: false, endOfFile: false } as const;

/** Thirty changes at unique places, so that every dialect can express them. */
function thirty(): Case[] {
  const unique = (one: Case) => new Set(one.before.map((line) => line.text.trim())).size === one.before.length;
  const lines = fc.constantFrom("\n", "\r\n");
  return fc.sample(
    cases({ max: 20, gap: 8, most: 2, style: lines }).filter(
      (one) =>
        one.before.length > 4 &&
        unique(one) &&
        !changesNothing(one) &&
        intended(one) === intended(one, "literal") &&
        // Other tests cover empty quotations and rows that another dialect reads as its own markers.
        !textOf(one.before).includes("*** "),
    ),
    { numRuns: 30, seed: 7 },
  );
}

describe("T-EDIT-5 the variants", () => {
  it("T-EDIT-5 thirty changes through all four give the same tree", async () => {
    const all = thirty();
    const trees: string[] = [];
    for (const variant of ["hashline", "replace", "patch", "apply_patch"] as const) {
      const { env, path, directory } = temporary();
      const shownFiles = new ShownFiles();
      const context = contextFor(env, { shownFiles });
      for (const [index, one] of all.entries()) {
        const name = `d${index % 5}/f${index}.txt`;
        await mkdir(dirname(path(name)), { recursive: true });
        await writeFile(path(name), textOf(one.before));
        const tag = shownFiles.record(env.resolve(name), textOf(one.before));
        const { old, replacement } = oldAndNew(one, 2);
        const result =
          variant === "hashline"
            ? await run(editVariants.hashline, { input: hashline(name, tag, one) }, context)
            : variant === "replace"
              ? await run(
                  editVariants.replace,
                  { path: name, edits: [{ old_text: old, new_text: replacement }] },
                  context,
                )
              : variant === "patch"
                ? await run(editVariants.patch, { diff: unified(name, one, 3) }, context)
                : await run(editVariants.apply_patch, { patch: v4a([v4aUpdate(name, one, style)], style) }, context);
        expect(result.failed, `${variant} ${name}: ${result.text}`).toBe(false);
        expect(await readFile(path(name), "utf8")).toBe(intended(one));
      }
      trees.push(directory);
    }
    for (const tree of trees.slice(1)) {
      expect(execFileSync("git", ["diff", "--no-index", trees[0] as string, tree], { encoding: "utf8" })).toBe("");
    }
  });

  it("T-EDIT-1 each variant has its own schema under the name edit; a bogus name means hashline", () => {
    const tools = Object.values(editVariants);
    expect(tools.map((tool) => tool.name)).toEqual(["edit", "edit", "edit", "edit"]);
    expect(new Set(tools.map((tool) => JSON.stringify(tool.schema))).size).toBe(4);
    expect(["patch", "apply_patch", "replace", "nonsense", "toString", undefined].map(editVariant)).toEqual([
      "patch",
      "apply_patch",
      "replace",
      "hashline",
      "hashline",
      "hashline",
    ]);
  });

  it("T-EDIT-5 replace makes several edits in order, or none", async () => {
    const { env, path } = temporary();
    await writeFile(path("f"), "a\nb\nc\n");
    const edits = [
      { old_text: "a", new_text: "A" },
      { old_text: "A\nb", new_text: "AB" },
    ];
    const made = await run(editVariants.replace, { path: "f", edits }, contextFor(env));
    expect(made.text).toContain("Replaced 2 occurrence(s) in f");
    expect(await readFile(path("f"), "utf8")).toBe("AB\nc\n");
    const failing = [
      { old_text: "AB", new_text: "x" },
      { old_text: "nope", new_text: "y" },
    ];
    expect((await run(editVariants.replace, { path: "f", edits: failing }, contextFor(env))).failed).toBe(true);
    expect(await readFile(path("f"), "utf8")).toBe("AB\nc\n");
  });
});

const diffOf = (...lines: string[]) => `${lines.join("\n")}\n`;

describe("T-EDIT-5 unified diffs as models and git write them", () => {
  it("T-EDIT-5 a diff that deletes a file with other content leaves it alone; without a hunk it goes", async () => {
    const { env, path } = temporary();
    const diff = (hunk: string) =>
      run(editVariants.patch, { diff: `--- a/a\n+++ /dev/null\n${hunk}` }, contextFor(env));
    await writeFile(path("a"), "x\nsomebody's work\n");
    expect((await diff("@@ -1 +0,0 @@\n-y\n")).text).toContain('this line is not in the file: "y"');
    expect((await diff("@@ -1 +0,0 @@\n-x\n")).text).toContain('such as "somebody\'s work", so it is not deleted');
    expect(await readFile(path("a"), "utf8")).toBe("x\nsomebody's work\n");
    expect((await diff("@@ -1,2 +0,0 @@\n-x\n-somebody's work\n")).failed).toBe(false);
    await writeFile(path("a"), "x\n");
    expect((await diff("")).text).toBe("D a");
  });

  it("T-EDIT-5 line counts that are too large or too small in a hunk's header do not matter", async () => {
    const { env, path } = temporary();
    const two = (counts: string, body: string) =>
      `--- a/a\n+++ b/a\n@@ ${counts} @@\n${body}--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+one\n`;
    const bodies = ["-1\n+one\n", "-1\n+one\n 2\n 3\n", "-1\n+one\n 2\n\n"];
    for (const [counts, body] of ["-1,9 +1,9", "-1 +1", "-1,2 +1,2", "-0,0 +0,0"].flatMap((c) =>
      bodies.map((b) => [c, b] as const),
    )) {
      for (const name of ["a", "b"]) await writeFile(path(name), "1\n2\n3\n");
      const result = await run(editVariants.patch, { diff: two(counts, body) }, contextFor(env));
      expect(result.failed, `${counts} ${body} ${result.text}`).toBe(false);
      for (const name of ["a", "b"]) expect(await readFile(path(name), "utf8")).toBe("one\n2\n3\n");
    }
    // Body lines that look like a file header belong to the body if the counts say so.
    await writeFile(path("a"), "-- x\n2\n");
    const dashes = "--- a\n+++ a\n@@ -1,1 +1,1 @@\n--- x\n+++ y\n";
    expect((await run(editVariants.patch, { diff: dashes }, contextFor(env))).failed).toBe(false);
    expect(await readFile(path("a"), "utf8")).toBe("++ y\n2\n");
  });

  it("T-EDIT-5 a diff made by git applies: change, rename, new and deleted file, lost final newline", async () => {
    const { env, path, directory } = temporary();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: directory, encoding: "utf8" });
    git("init", "-q");
    await writeFile(path("keep.txt"), Array.from({ length: 30 }, (_, index) => `row ${index % 4}\n`).join(""));
    await writeFile(path("old name.txt"), "one\ntwo\nthree\nfour\nfive\nsix\n");
    await writeFile(path("gone.txt"), "bye\n");
    git("add", "-A");
    git("commit", "-qm", "x");
    const before = await readFile(path("keep.txt"), "utf8");
    const wanted = before
      .split("\n")
      .map((line, index) => (index === 17 ? "changed" : line))
      .join("\n")
      .trimEnd();
    await writeFile(path("keep.txt"), wanted);
    git("mv", "old name.txt", "new name.txt");
    await writeFile(path("new name.txt"), "one\ntwo\nthree\nFOUR\nfive\nsix\n");
    git("rm", "-q", "gone.txt");
    await writeFile(path("fresh.txt"), "hello\n");
    git("add", "-A");
    const diff = git("diff", "--cached", "-M");
    git("reset", "-q", "--hard");
    const result = await run(editVariants.patch, { diff }, contextFor(env));
    expect(result.failed, result.text).toBe(false);
    expect(await readFile(path("keep.txt"), "utf8")).toBe(wanted);
    expect(await readFile(path("new name.txt"), "utf8")).toBe("one\ntwo\nthree\nFOUR\nfive\nsix\n");
    expect(await readFile(path("fresh.txt"), "utf8")).toBe("hello\n");
    expect(await env.fileExists("gone.txt")).toBe(false);
    expect(await env.fileExists("old name.txt")).toBe(false);
  });

  it("T-EDIT-5 wrong line numbers and counts do not matter when the lines name one place; a missing header does", async () => {
    const { env, path } = temporary();
    await writeFile(path("f"), "a\nb\nc\n");
    const wrong = diffOf("--- f", "+++ f", "@@ -90,7 +12,1 @@", " a", "-b", "+B");
    expect((await run(editVariants.patch, { diff: wrong }, contextFor(env))).failed).toBe(false);
    expect(await readFile(path("f"), "utf8")).toBe("a\nB\nc\n");
    for (const [from, to] of [
      ["a/f", "a/f"],
      ["b/f", "b/f"],
      ["a/a/f", "b/a/f"],
      ["a/f", "b/f"],
      ["a/f", "f"],
      ["f", "b/f"],
    ] as const) {
      const file = from === "a/a/f" ? "a/f" : from === to ? from : "f";
      for (const name of ["a/f", "b/f", "f"]) await env.writeFile(name, "x\n");
      const { text } = await run(
        editVariants.patch,
        { diff: diffOf(`--- ${from}`, `+++ ${to}`, "@@ -1 +1 @@", "-x", "+y") },
        contextFor(env),
      );
      expect(text).toMatch(new RegExp(`^M ${file}\n`));
      expect(await env.readFile(file)).toBe("y\n");
    }
    const headless = await run(editVariants.patch, { diff: diffOf("@@ -1 +1 @@", "-a", "+b") }, contextFor(env));
    expect(headless.text).toContain('Patch line 1: a hunk needs "--- path"');
  });
});
