import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextFor, fullServices, run, temporary } from "../../../../test/edit/harness.ts";
import { DocumentError, decodeDocument, encodeDocument } from "../../../files/edit/document.ts";
import { readFileTool } from "../read-file/index.ts";
import { writeFileTool } from "../write-file/index.ts";
import { countedEditFileTool, editFileTool } from "./index.ts";

async function edited(content: string | Uint8Array, old_string: string, new_string: string, extra: object = {}) {
  const { env, path } = temporary();
  await writeFile(path("f.txt"), content);
  const result = await run(editFileTool, { file_path: "f.txt", old_string, new_string, ...extra }, contextFor(env));
  return { ...result, bytes: await readFile(path("f.txt")), after: await readFile(path("f.txt"), "utf8") };
}

describe("TL-03 edit_file", () => {
  it("TL-03 replaces a unique text and says what changed", async () => {
    const result = await edited("one\ntwo\nthree\n", "two", "2");
    expect(result.after).toBe("one\n2\nthree\n");
    expect(result.text).toBe(
      "Replaced 1 occurrence(s) in f.txt (1 lines changed)\n--- f.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
    );
    expect(result.details).toMatchObject({
      filePath: "f.txt",
      oldString: "two",
      newString: "2",
      matchCount: 1,
      linesChanged: 1,
      step: "exact",
      added: 1,
      removed: 1,
    });
  });

  it("TL-03 a file too large for one string is refused in words, not by a crash of the string", async () => {
    const { env, path } = temporary();
    await writeFile(path("huge"), "a\n");
    await truncate(path("huge"), 600 << 20);
    const args = { file_path: "huge", old_string: "a", new_string: "b" };
    expect((await run(editFileTool, args, contextFor(env))).text).toContain(
      "has 629145600 bytes, too many to edit here",
    );
  });

  it("TL-03 not found: writes nothing and shows the nearest text with its line numbers", async () => {
    const result = await edited("function alpha() {\n  return 1;\n}\n", "function alpha(x) {\n  return 2;\n}", "x");
    expect(result.failed).toBe(true);
    expect(result.after).toBe("function alpha() {\n  return 1;\n}\n");
    expect(result.text).toContain("not found in f.txt. Nothing was written.");
    expect(result.text).toContain("1 | function alpha() {\n2 |   return 1;");
  });

  it("TL-03 not found but the new text is there: says that the edit may have been made before", async () => {
    const result = await edited("let port = 80;\n", "let port = 70;", "let port = 80;");
    expect(result.text).toContain("already there (line 1)");
  });

  it("TL-03 two hits are refused with their line numbers", async () => {
    const result = await edited("a\nx\nb\nx\n", "x", "y");
    expect(result.failed).toBe(true);
    expect(result.text).toContain("lines 2, 4");
    expect(result.after).toBe("a\nx\nb\nx\n");
  });

  it("TL-03 overlapping hits count as two places", async () => {
    const result = await edited("-aaa-\n", "aa", "b");
    expect(result.failed).toBe(true);
    expect(result.after).toBe("-aaa-\n");
  });

  it("TL-03 replace_all changes every hit and takes $ literally", async () => {
    const result = await edited("x x\nx\n", "x", "$&$1$$", { replace_all: true });
    expect(result.after).toBe("$&$1$$ $&$1$$\n$&$1$$\n");
    expect(result.text).toContain("Replaced 3 occurrence(s) in f.txt (2 lines changed)");
  });

  it("TL-03 equal or empty old text is refused with advice", async () => {
    expect((await edited("a\n", "a", "a")).text).toContain("are the same");
    const empty = await edited("a\n", "", "b");
    expect(empty.text).toContain("write the whole file instead");
    expect(empty.after).toBe("a\n");
  });

  it("TL-03 a CRLF file is matched by LF text and stays CRLF", async () => {
    const result = await edited("a\r\nb\r\nc\r\n", "a\nb", "A\nB\nB2");
    expect(result.after).toBe("A\r\nB\r\nB2\r\nc\r\n");
  });

  it("TL-03 mixed endings: a replaced line keeps its ending, an added one takes its predecessor's", async () => {
    const result = await edited("a\r\nb\nc\rd", "b\nc", "B\nB2\nc");
    expect(result.after).toBe("a\r\nB\nB2\nc\rd");
  });

  it("TL-03 keeps a missing final newline, and a line feed typed after the last line does not matter", async () => {
    const result = await edited("a\nb", "b\n", "c\n");
    expect(result.after).toBe("a\nc");
    expect(result.details["step"]).toBe("trailing-whitespace");
  });

  it("TL-03 trailing whitespace is tolerated and reported", async () => {
    const result = await edited("if x:  \n  y\t\nz\n", "if x:\n  y\n", "if x:\n  w\n");
    expect(result.after).toBe("if x:  \n  w\nz\n");
    expect(result.text).toContain("trailing whitespace");
  });

  it("TL-03 tabs typed as spaces: a single place is taken, the new text follows the file's tabs, and it is reported", async () => {
    const result = await edited(
      "func f() {\n\tif a {\n\t\tb()\n\t}\n}\n",
      "    if a {\n        b()\n    }",
      "    if a {\n        b()\n        c()\n    }",
    );
    expect(result.after).toBe("func f() {\n\tif a {\n\t\tb()\n\t\tc()\n\t}\n}\n");
    expect(result.details["step"]).toBe("indentation");
    expect(result.text).toContain("indentation");
  });

  it("TL-03 a block typed without its indentation is re-indented", async () => {
    const result = await edited(
      "class A:\n    def f(self):\n        return 1\n",
      "def f(self):\n    return 1\n",
      "def f(self):\n    x = 2\n    return x\n",
    );
    expect(result.after).toBe("class A:\n    def f(self):\n        x = 2\n        return x\n");
  });

  it("TL-03 a tolerant step that hits two places is refused", async () => {
    const result = await edited("\tx = 1\n\ty = 2\n---\n\tx = 1\n\ty = 2\n", "  x = 1\n  y = 2", "  z");
    expect(result.failed).toBe(true);
    expect(result.text).toContain("lines 1, 4");
    expect(result.after).toBe("\tx = 1\n\ty = 2\n---\n\tx = 1\n\ty = 2\n");
  });

  it("TL-03 typographic quotes, dashes and spaces match their plain forms; what is not changed keeps its bytes", async () => {
    const result = await edited("say “hi” – now\nend\n", 'say "hi" - now', 'say "bye" - now');
    expect(result.after).toBe("say “bye” – now\nend\n");
    expect(result.details["step"]).toBe("unicode");
  });

  it("TL-03 escaped text is unescaped when only that fits", async () => {
    const result = await edited('print("a")\nprint("b")\n', 'print(\\"a\\")\\nprint(\\"b\\")', 'print(\\"c\\")');
    expect(result.after).toBe('print("c")\n');
    expect(result.details["step"]).toBe("unescaped");
  });

  it("TL-03 line numbers copied from a read are removed, and the result says so", async () => {
    const before = "one\ntwo\nthree\n";
    const both = await edited(before, " 2 | two\n 3 | three", " 2 | TWO\n 3 | three\n 4 | four");
    expect(both.after).toBe("one\nTWO\nthree\nfour\n");
    expect(both.text).toContain("removing the line numbers");
    expect((await edited(before, "2 | two\n", "TWO\n")).after).toBe("one\nTWO\nthree\n");
    for (const old of ["2 | tw", "1 | one\n3 | three", "2 | one\ntwo"]) {
      const result = await edited(before, old, "x");
      expect(result.after).toBe(before);
      expect(result.text).toContain("was not found in f.txt");
    }
    expect((await edited("1 | a\na\n", "1 | a", "1 | b")).after).toBe("1 | b\na\n");
    expect((await edited("a\na\n", "1 | a", "b")).text).toContain("more than once");
  });

  it("TL-03 letters with combining marks match the single letters that models type", async () => {
    const result = await edited("a\ncafe\u0301 = 1;\nb\n", "café = 1;", "café = 2;");
    expect(result.after).toBe("a\ncafé = 2;\nb\n");
    expect((await edited("x\ncafe\u0301 au lait\n", "café noir", "y")).text).toContain("2 | cafe\u0301 au lait");
  });

  it("TL-03 the nearest text is found at the end of a long file too", async () => {
    const long = Array.from({ length: 60_000 }, (_, index) => `value ${index} of many`).join("\n");
    expect((await edited(long, "value 59990 of  man", "x")).text).toContain("59991 | value 59990 of many");
    expect((await edited("a\n".repeat(50), "a", "b")).text).toContain("19, 20 and more.");
  });

  it("TL-03 placeholders for code that should stay are refused", async () => {
    const result = await edited(
      "f() {\n  a();\n  b();\n}\n",
      "  a();\n  b();\n",
      "  a2();\n  // ... rest of the code unchanged\n",
    );
    expect(result.failed).toBe(true);
    expect(result.text).toContain("would replace real code");
    expect(result.after).toBe("f() {\n  a();\n  b();\n}\n");
  });

  it("TL-03 expected_replacements must be the number found", async () => {
    const { env, path } = temporary();
    await writeFile(path("f.txt"), "x x x\n");
    const call = { file_path: "f.txt", old_string: "x", new_string: "y" };
    const wrong = await run(countedEditFileTool, { ...call, expected_replacements: 2 }, contextFor(env));
    expect(wrong.text).toContain("Expected 2 occurrence(s) in f.txt but found 3");
    const right = await run(countedEditFileTool, { ...call, expected_replacements: 3 }, contextFor(env));
    expect(right.failed).toBe(false);
    expect(await readFile(path("f.txt"), "utf8")).toBe("y y y\n");
  });

  it("TL-03 keeps byte order mark, UTF-16 in both orders and Latin-1", async () => {
    expect((await edited("\uFEFFcafé\n", "café", "thé")).after).toBe("\uFEFFthé\n");
    const le = Buffer.from("\uFEFFa\r\nb\r\n", "utf16le");
    expect((await edited(le, "b", "ü")).bytes).toEqual(Buffer.from("\uFEFFa\r\nü\r\n", "utf16le"));
    expect((await edited(Buffer.from(le).swap16(), "b", "ü")).bytes).toEqual(
      Buffer.from("\uFEFFa\r\nü\r\n", "utf16le").swap16(),
    );
    const latin = await edited(Buffer.from("caf\xe9 ol\xe9\n", "latin1"), "café", "thé");
    expect(latin.bytes).toEqual(Buffer.from("th\xe9 ol\xe9\n", "latin1"));
  });

  it("TL-03 one broken byte in UTF-8 does not make it Latin-1: other letters match, new ones are UTF-8, the byte stays", async () => {
    const before = Buffer.concat([Buffer.from("naïve über ß\ncut: "), Buffer.of(0xe2, 0x82), Buffer.from("\ntail\n")]);
    const result = await edited(before, "naïve über", "naïf œuvre €");
    expect(result.text).toContain("+naïf œuvre € ß");
    expect(result.bytes).toEqual(
      Buffer.concat([Buffer.from("naïf œuvre € ß\ncut: "), Buffer.of(0xe2, 0x82), Buffer.from("\ntail\n")]),
    );
    const utf32 = Buffer.concat([Buffer.of(0xff, 0xfe, 0, 0), Buffer.from("h\0\0\0i\0\0\0")]);
    expect(await edited(utf32, "h", "j")).toMatchObject({
      bytes: utf32,
      text: expect.stringContaining("is UTF-32 text"),
    });
  });

  it("TL-03 any bytes come back from reading as text and writing unchanged, or are refused", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
      fc.uint8Array({ min: 0x20, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom("é", "\uef80", "\r\n", "\n", "\ufeff").map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const bytes = Buffer.concat(pieces);
        try {
          expect(Buffer.from(encodeDocument(decodeDocument(bytes)))).toEqual(bytes);
        } catch (error) {
          if (!(error instanceof DocumentError)) throw error;
        }
      }),
      { numRuns: process.env["LATHE_LONG"] ? 20_000 : 500 },
    );
  });

  it("TL-03 a character that Latin-1 lacks, and binary files, are refused", async () => {
    const latin = Buffer.from("caf\xe9\n", "latin1");
    const refused = await edited(latin, "café", "€");
    expect(refused.text).toContain('is Latin-1, which has no "€"');
    expect(refused.bytes).toEqual(latin);
    const binary = await edited(Buffer.from([0x61, 0, 0x62]), "a", "b");
    expect(binary.text).toContain("binary");
    expect([...binary.bytes]).toEqual([0x61, 0, 0x62]);
  });

  it("TL-03 keeps mode bits, follows links inside the working directory and refuses those that lead out", async () => {
    const { env, path, directory } = temporary();
    await writeFile(path("run.sh"), "echo a\n");
    await chmod(path("run.sh"), 0o755);
    await symlink("run.sh", path("link.sh"));
    const context = contextFor(env);
    await run(editFileTool, { file_path: "link.sh", old_string: "a", new_string: "b" }, context);
    expect(await readFile(path("run.sh"), "utf8")).toBe("echo b\n");
    expect((await stat(path("run.sh"))).mode & 0o777).toBe(0o755);
    const outside = temporary();
    await writeFile(outside.path("secret"), "x\n");
    await symlink(outside.path("secret"), `${directory}/out`);
    const refused = await run(editFileTool, { file_path: "out", old_string: "x", new_string: "y" }, context);
    expect(refused.text).toContain("leads out of the working directory");
    expect(await readFile(outside.path("secret"), "utf8")).toBe("x\n");
    await symlink(outside.path("new"), `${directory}/nowhere`);
    const made = await run(writeFileTool, { file_path: "nowhere", content: "x" }, context);
    expect(made.text).toContain("leads out of the working directory");
    await expect(stat(outside.path("new"))).rejects.toThrow("ENOENT");
    await symlink("later.txt", path("soon"));
    await run(writeFileTool, { file_path: "soon", content: "now\n" }, context);
    expect(await readFile(path("later.txt"), "utf8")).toBe("now\n");
  });

  it("TL-03 missing files and directories are named", async () => {
    const { env } = temporary();
    const call = { old_string: "x", new_string: "y" };
    expect((await run(editFileTool, { file_path: "no.txt", ...call }, contextFor(env))).text).toContain(
      "no.txt does not exist",
    );
    expect((await run(editFileTool, { file_path: ".", ...call }, contextFor(env))).text).toContain("is a directory");
  });

  it("TL-03 a missing file comes with the names that are near; a path that ends in / makes no file", async () => {
    const { env, path } = temporary();
    await writeFile(path("server.ts"), "a\n");
    const args = { file_path: "Sever.ts", old_string: "a", new_string: "b" };
    expect((await run(editFileTool, args, contextFor(env))).text).toBe(
      "Sever.ts does not exist. Did you mean server.ts? Nothing was written.",
    );
    const written = await run(writeFileTool, { file_path: "new/", content: "x" }, contextFor(env));
    expect(written.text).toBe("new/ names a directory. Name the file in it. Nothing was written.");
  });

  it("TL-03 a name on disk with combining marks or special blanks is found by the plain one, and no twin is made", async () => {
    const { env, path, directory } = temporary();
    await mkdir(path("re\u0301sume\u0301"));
    const name = "re\u0301sume\u0301/Shot 3.10\u202fPM.txt";
    await writeFile(path(name), "a\n");
    const context = contextFor(env, fullServices());
    const asked = "résumé/Shot 3.10 PM.txt";
    expect((await run(readFileTool, { file_path: asked }, context)).text).toBe("1 | a");
    await run(editFileTool, { file_path: asked, old_string: "a", new_string: "b" }, context);
    expect(await readFile(path(name), "utf8")).toBe("b\n");
    await run(writeFileTool, { file_path: asked, content: "c\n" }, context);
    await run(writeFileTool, { file_path: "résumé/new.txt", content: "n\n" }, context);
    expect(await readFile(path(name), "utf8")).toBe("c\n");
    expect(await readdir(directory, { recursive: true })).toHaveLength(3);
    await writeFile(path("re\u0301sume\u0301/Shot 3.10\u00a0PM.txt"), "other\n");
    expect((await run(readFileTool, { file_path: asked }, context)).text).toContain("File not found");
  });

  it("TL-03 concurrent edits of one file all take effect", async () => {
    const { env, path } = temporary();
    const names = Array.from({ length: 12 }, (_, index) => `line${index}.`);
    await writeFile(path("f.txt"), `${names.join("\n")}\n`);
    const context = contextFor(env, fullServices());
    const results = await Promise.all(
      names.map((name) =>
        run(editFileTool, { file_path: "f.txt", old_string: name, new_string: `<${name}>` }, context),
      ),
    );
    expect(results.filter((result) => result.failed)).toEqual([]);
    expect(await readFile(path("f.txt"), "utf8")).toBe(`${names.map((name) => `<${name}>`).join("\n")}\n`);
  });

  it("TL-03 an edit that breaks the syntax is made, with a warning that names the line", async () => {
    const { env, path } = temporary();
    await writeFile(path("a.ts"), "function f() {\n  return 1;\n}\n");
    const result = await run(
      editFileTool,
      { file_path: "a.ts", old_string: "  return 1;\n}", new_string: "  return (1;\n}" },
      contextFor(env, fullServices()),
    );
    expect(result.failed).toBe(false);
    expect(result.text).toContain("Warning: this edit introduces a parse error at line 2 of a.ts");
  });
});
