// What people try first, and get wrong first: each ends with one line that says what to do.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SUBCOMMANDS } from "../src/options/option-table.ts";
import { type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox();
});
afterEach(() => box.remove());

const practice = ["--model", "practice/basic"];

describe("help", () => {
  it.each(Object.entries(SUBCOMMANDS))(
    "lathe %s --help, -h and lathe help <command> say how it is used",
    async (name, what) => {
      const { code, stdout, stderr } = await box.run([name, "--help"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.startsWith(`lathe ${name}: ${what}\n\n  lathe ${name}`)).toBe(true);
      expect(await box.run(["help", name])).toMatchObject({ code: 0, stdout });
      expect(await box.run([name, "-h"])).toMatchObject({ code: 0, stdout });
    },
  );

  it("lathe help is the help; with other words it is a prompt", async () => {
    expect((await box.run(["help"])).stdout).toBe((await box.run(["--help"])).stdout);
    expect((await box.run([...practice, "help", "me"])).stdout).toContain("I am the practice model");
  });
});

describe("lathe demo and lathe prompt", () => {
  it("demo takes no words: nothing is started", async () => {
    expect(await box.run(["demo", "x"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("prompt names a picture in the turn that holds it, and sets files apart from the words", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    await writeFile(join(box.dir, "dot.png"), png);
    const { code, stdout } = await box.run(["prompt", ...practice, "what is it?", "@dot.png"]);
    expect(code).toBe(0);
    expect(stdout).toContain('<file path="dot.png">\n[image]\n</file>\nwhat is it?\n');
  });
});

describe("options that cannot mean what was written", () => {
  it.each([
    [["--api-key", "", "--model", "openai/gpt-5.2"], "--api-key is empty."],
    [["--base-url", "localhost", "--api-key", "k", "--model", "openai/gpt-5.2"], "--base-url must be an address"],
    [["--base-url", "file:///etc", "--api-key", "k", "--model", "openai/gpt-5.2"], "--base-url must be an address"],
    [["--models", "zzz*,yyy"], "No model matches --models zzz*,yyy. See: lathe models"],
    [["--cwd", "file.txt", ...practice], "--cwd: file.txt is not a directory."],
    [["--cwd", "file.txt/below", ...practice], "--cwd: file.txt/below is not a directory."],
    [["--add-dir", "nowhere", ...practice], "--add-dir: nowhere is not a directory."],
    [
      ["--system-prompt", "missing.md", ...practice],
      "missing.md cannot be read. Give a text file, or the text itself.",
    ],
    [["--append-system-prompt", "notes/missing.txt", ...practice], "notes/missing.txt cannot be read."],
  ])("%j is refused with 2", async (args, message) => {
    await writeFile(join(box.dir, "file.txt"), "x");
    const { code, stdout, stderr } = await box.run([...args, "-p", "hi"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.startsWith(`lathe: ${message}`)).toBe(true);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("lathe trust", () => {
  it("takes one folder that is there, and no file", async () => {
    await writeFile(join(box.dir, "file.txt"), "x");
    for (const args of [["file.txt"], ["nowhere"], [".", "other"], ["--all"], ["--list", "--remove"]])
      expect(await box.run(["trust", ...args])).toMatchObject({ code: 2, stdout: "" });
    expect((await box.run(["trust", "--list"])).stdout).toBe("");
  });

  it("--remove forgets a folder that is gone, and says when a folder above still is trusted", async () => {
    const below = join(box.dir, "below");
    await mkdir(below);
    await box.run(["trust"]);
    const { stdout } = await box.run(["trust", "--remove", "below"]);
    expect(stdout).toBe(`Was not trusted: ${below}; still trusted through ${box.dir}\n`);
    await box.run(["trust", below]);
    await rm(below, { recursive: true });
    await box.run(["trust", "--remove", below]);
    expect((await box.run(["trust", "--list"])).stdout).toBe(`${box.dir}\n`);
  });
});

describe("lathe login", () => {
  it.each([
    [["practice"], "", "The practice model needs no key"],
    [["ollama"], "", "needs no key"],
    [["openai"], "two words\n", "A key contains no spaces"],
    [["openai"], "one\ntwo\n", "A key contains no spaces"],
    [["openai", "sk-123"], "", "lathe login takes one provider and --key, not sk-123."],
    [["--force"], "", "lathe login takes one provider and --key, not --force."],
  ])("%j with %j is refused", async (args, stdin, message) => {
    const { code, stderr } = await box.run(["login", ...args], { stdin });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
