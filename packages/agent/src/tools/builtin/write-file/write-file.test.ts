import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { contextFor, fullServices, run, temporary } from "../../../../test/edit/harness.ts";
import { SchemeRegistry } from "../../../contract/seams/schemes.ts";
import { writeFileTool } from "./index.ts";

describe("TL-02 write_file", () => {
  it("TL-02 creates parents and counts UTF-8 bytes", async () => {
    const { env, path } = temporary();
    const result = await run(writeFileTool, { file_path: "a/b/c.txt", content: "é\n" }, contextFor(env));
    expect(result.text).toBe("Created a/b/c.txt (3 bytes)");
    expect(result.details).toMatchObject({ filePath: "a/b/c.txt", size: 3, isNew: true });
    expect(await readFile(path("a/b/c.txt"), "utf8")).toBe("é\n");
  });

  it("G-08 an address of a known scheme is written through its resolver, not to a file", async () => {
    const { env, path } = temporary();
    const written: unknown[] = [];
    const schemes = new SchemeRegistry({ db: { write: async (...args) => void written.push(args.slice(0, 2)) } });
    const context = contextFor(env, { ...fullServices(), schemes });
    const result = await run(writeFileTool, { file_path: "DB://users/42", content: "é" }, context);
    expect(result.text).toBe("Wrote DB://users/42 (2 bytes)");
    expect(written).toEqual([["DB://users/42", "é"]]);
    await expect(stat(path("DB:"))).rejects.toThrow("ENOENT");
    schemes.remove("db");
    schemes.add("db", {});
    await expect(run(writeFileTool, { file_path: "db://users/42", content: "" }, context)).rejects.toThrow("read only");
  });

  it("TL-02 overwriting keeps mode 755, line endings and byte order mark", async () => {
    const { env, path } = temporary();
    await writeFile(path("run.cmd"), "\uFEFFa\r\nb\r\n");
    await chmod(path("run.cmd"), 0o755);
    const result = await run(writeFileTool, { file_path: "run.cmd", content: "x\ny\nz\n" }, contextFor(env));
    expect(result.text).toBe("Wrote run.cmd (12 bytes)\nNote: the file keeps its line endings.");
    expect(result.details).toMatchObject({ isNew: false });
    expect(await readFile(path("run.cmd"), "utf8")).toBe("\uFEFFx\r\ny\r\nz\r\n");
    expect((await stat(path("run.cmd"))).mode & 0o777).toBe(0o755);
  });

  it("T-WRITE-1 a new script can be run by whoever may read it; an existing file keeps its mode", async () => {
    const { env, path } = temporary();
    const before = process.umask(0o027);
    try {
      const made = await run(writeFileTool, { file_path: "run.sh", content: "#!/bin/sh\necho ran\n" }, contextFor(env));
      expect(made.text).toBe("Created run.sh (19 bytes)\nNote: becomes executable, because it begins with #!.");
      expect(made.details).toMatchObject({ madeExecutable: true });
      expect((await stat(path("run.sh"))).mode & 0o777).toBe(0o750);
      expect((await env.execCommand("./run.sh", 10_000)).stdout).toBe("ran\n");
    } finally {
      process.umask(before);
    }
    await writeFile(path("lib.py"), "#!/usr/bin/python3\n", { mode: 0o644 });
    const kept = await run(
      writeFileTool,
      { file_path: "lib.py", content: "#!/usr/bin/python3\nx = 1\n" },
      contextFor(env),
    );
    expect(kept.details).not.toHaveProperty("madeExecutable");
    expect((await stat(path("lib.py"))).mode & 0o777).toBe(0o644);
    await env.cleanup();
  });

  it("T-WRITE-1 line numbers copied from a read are removed and the result says so; text that only looks alike stays", async () => {
    const { env, path } = temporary();
    const write = async (content: string) => {
      const { text } = await run(writeFileTool, { file_path: "f", content }, contextFor(env));
      return { text, content: await readFile(path("f"), "utf8") };
    };
    const copied = await write(" 1 | a\n 2 | \n 3 |   b\n");
    expect(copied.content).toBe("a\n\n  b\n");
    expect(copied.text).toContain("Note: the line numbers in front of every line were removed");
    expect((await write("     1\ta\n     2\tb")).content).toBe("a\nb");
    for (const kept of ["1: a\n2: b\n", "1 | a\n3 | b\n", "1 | a\nb\n", "1|a\n", "1|a\n2|b\n", "1\ta\n2\tb\n"]) {
      expect((await write(kept)).content).toBe(kept);
    }
  });

  it("TL-02 endings that the new text brings itself are taken as they are", async () => {
    const { env, path } = temporary();
    await writeFile(path("f"), "a\nb\n");
    await run(writeFileTool, { file_path: "f", content: "a\r\nb\r\n" }, contextFor(env));
    expect(await readFile(path("f"), "utf8")).toBe("a\r\nb\r\n");
  });

  it("TL-02 a home directory in short is refused instead of becoming a directory named ~", async () => {
    const { env, path } = temporary();
    const result = await run(writeFileTool, { file_path: "~/notes.txt", content: "x" }, contextFor(env));
    expect(result.text).toContain("Give the whole path.");
    await expect(stat(path("~"))).rejects.toThrow("ENOENT");
  });

  it("TL-02 a directory, and a path below a file, are refused", async () => {
    const { env, path } = temporary();
    await writeFile(path("f"), "x");
    const context = contextFor(env);
    expect((await run(writeFileTool, { file_path: ".", content: "x" }, context)).text).toContain("is a directory");
    expect((await run(writeFileTool, { file_path: "f/g", content: "x" }, context)).text).toContain("f is a file");
  });

  it("TL-02 placeholders that would drop code are refused for an existing file", async () => {
    const { env, path } = temporary();
    await writeFile(path("f.js"), "a();\nb();\n");
    const content = "a2();\n// ... existing code ...\n";
    const result = await run(writeFileTool, { file_path: "f.js", content }, contextFor(env));
    expect(result.failed).toBe(true);
    expect(await readFile(path("f.js"), "utf8")).toBe("a();\nb();\n");
    const fresh = await run(writeFileTool, { file_path: "new.js", content }, contextFor(env));
    expect(fresh.failed).toBe(false);
  });

  it("TL-02 a file that changed on disk since it was shown is merged or refused", async () => {
    const { env, path } = temporary();
    const services = fullServices();
    const context = contextFor(env, services);
    const shown = "a\nb\nc\nd\ne\nf\n";
    services.shownFiles?.record(env.resolve("f"), shown);
    await writeFile(path("f"), "a\nb\nc\nd\ne\nF!\n");
    const merged = await run(writeFileTool, { file_path: "f", content: "A!\nb\nc\nd\ne\nf\n" }, context);
    expect(merged.text).toContain("merged");
    expect(await readFile(path("f"), "utf8")).toBe("A!\nb\nc\nd\ne\nF!\n");
    await writeFile(path("f"), "other\n");
    const refused = await run(writeFileTool, { file_path: "f", content: "mine\n" }, context);
    expect(refused.failed).toBe(true);
    expect(await readFile(path("f"), "utf8")).toBe("other\n");
  });

  it("T-SUB-6 a generated file is refused and keeps its bytes, whatever the dialect", async () => {
    const { env, path } = temporary();
    const headers = [
      "// Code generated by protoc. DO NOT EDIT.",
      "# This file is automatically generated, do not modify.",
      "/* @generated */",
      "<!-- AUTO-GENERATED by build -->",
      " * @generated SignedSource<<0>>",
      "REM Autogenerated",
      "// This file was auto-generated from schema.sql",
    ];
    for (const header of headers) {
      await writeFile(path("g.go"), `${header}\nx\n`);
      const result = await run(writeFileTool, { file_path: "g.go", content: "y\n" }, contextFor(env));
      expect(result.text).toContain("g.go is generated");
      expect(await readFile(path("g.go"), "utf8")).toBe(`${header}\nx\n`);
    }
  });

  it("T-SUB-6 looks at the header only and at comments only", async () => {
    const { env, path } = temporary();
    const texts = [
      `${"x = 1\n".repeat(200)}# @generated\n`,
      'const note = "Code generated by hand";\n',
      "# How reports are made\nThey are generated by cron.\n",
      "// Helpers for auto-generated ids and for code generated by plugins.\n",
      "# Skips files marked @generated; this one says that this file was generated by nobody.\n",
    ];
    for (const text of texts) {
      await writeFile(path("f"), text);
      expect((await run(writeFileTool, { file_path: "f", content: "y\n" }, contextFor(env))).failed).toBe(false);
    }
  });
});
