// Settings for the form of the tools: the model family's names and the edit format. And what a write may touch in each
// of them.

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Script, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";

let scene: Stage;
afterEach(() => scene.close());

interface Tool {
  readonly name: string;
  readonly input_schema: { readonly properties: Readonly<Record<string, unknown>> };
}

const sentTools = (): readonly Tool[] =>
  (scene.server.requests.at(-1)?.body as { tools: readonly Tool[] } | undefined)?.tools ?? [];
const names = (): readonly string[] => sentTools().map(({ name }) => name);
const editSchema = (): readonly string[] =>
  Object.keys(sentTools().find(({ name }) => name === "edit")?.input_schema.properties ?? {});

async function withSettings(text: string, script: Script = () => turn.text("ok")): Promise<void> {
  scene = await stage(script);
  await mkdir(scene.box.env["LATHE_HOME"] ?? "", { recursive: true });
  await writeFile(join(scene.box.env["LATHE_HOME"] ?? "", "config.yml"), text);
}

const VARIANTS = { hashline: ["input"], replace: ["path", "edits"], patch: ["diff"], apply_patch: ["patch"] };

describe("editVariant", () => {
  it.each(Object.entries(VARIANTS))(
    "T-EDIT-1 %s is the tool edit, by setting and by variable",
    async (variant, fields) => {
      await withSettings(`editVariant: ${variant}\n`);
      await scene.run(["-p", "hi"]);
      expect(editSchema()).toEqual(fields);
      await writeFile(join(scene.box.env["LATHE_HOME"] ?? "", "config.yml"), "");
      await scene.run(["-p", "hi"], { env: { LATHE_EDIT_VARIANT: variant } });
      expect(editSchema()).toEqual(fields);
    },
  );

  it("T-EDIT-1 a bogus variable counts as none; without anything the family's own way stays", async () => {
    await withSettings("editVariant: patch\n");
    await scene.run(["-p", "hi"], { env: { LATHE_EDIT_VARIANT: "bogus" } });
    expect(editSchema()).toEqual(VARIANTS.patch);
    expect(await scene.box.run(["config", "set", "editVariant", ""])).toMatchObject({ code: 0 });
    await scene.run(["-p", "hi"]);
    expect(names()).toContain("edit_file");
    expect(await scene.box.run(["config", "set", "editVariant", "vim"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("hashline, replace, patch, apply_patch"),
    });
  });

  it("T-EDIT-1 the practice model keeps the tools its script knows", async () => {
    await withSettings("editVariant: hashline\n");
    const asked = "create note.txt with hello";
    const args = ["--model", "practice/basic", "--permission-mode", "full", "--profile", "anthropic", asked];
    expect(await scene.box.run(args)).toMatchObject({ code: 0 });
    expect(await readFile(join(scene.box.dir, "note.txt"), "utf8")).toBe("hello\n");
  });
});

describe("NULL_PROMPT", () => {
  it("G-117 true sends no system prompt; the tools and the environment of the first turn stay", async () => {
    await withSettings("");
    await scene.run(["-p", "hi"], { env: { NULL_PROMPT: "true" } });
    const request = scene.server.requests.at(-1);
    expect(request?.refused).toBeUndefined();
    expect(request?.view.system ?? "").toBe("");
    expect(names()).toContain("read_file");
    expect(request?.view.messages[0]?.text).toContain("<environment>");
    await scene.run(["-p", "hi"], { env: { NULL_PROMPT: "1" } });
    expect(scene.server.requests.at(-1)?.view.system).toContain("You are Lathe");
  });
});

describe("tools and settings", () => {
  it("--tools offers a selection, and names what there is when a name is unknown", async () => {
    await withSettings("");
    await scene.run(["--tools", "read_file,shell", "-p", "hi"]);
    expect(names()).toEqual(["read_file", "shell"]);
    expect(await scene.run(["--tools", "Read", "-p", "hi"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Unknown tool "Read".*read_file, /),
    });
  });

  it("CF-08 lathe tool says which setting has turned a tool off", async () => {
    await withSettings("todo.enabled: false");
    const off = async (tool: string) => (await scene.box.run(["tool", tool, "{}"])).stderr;
    expect(await off("todo")).toBe(
      "lathe: The tool todo is turned off. To turn it on: lathe config set todo.enabled true\n",
    );
    expect(await off("computer")).toContain("lathe config set computer.enabled true");
    expect(await off("no_such_tool")).toContain('Unknown tool "no_such_tool"');
  });

  it("CF-08 todo.enabled: false leaves the list out", async () => {
    await withSettings("");
    const offered = async (...settings: string[]): Promise<readonly string[]> => {
      await writeFile(join(scene.box.env["LATHE_HOME"] ?? "", "config.yml"), settings.join("\n"));
      await scene.run(["-p", "hi"]);
      return names();
    };
    expect(await offered()).toContain("todo");
    expect(await offered("todo.enabled: false")).not.toContain("todo");
  });
});

describe("a write outside of the working directory asks, whatever the language of the edit", () => {
  const outside = (): string => join(scene.box.home, "outside.txt");
  const PATCHES: readonly (readonly [string, (path: string) => Record<string, string>])[] = [
    ["apply_patch", (path) => ({ patch: `*** Begin Patch\n*** Add File:${path}\n+x\n*** End Patch` })],
    ["apply_patch", (path) => ({ patch: `*** Begin Patch\r\n*** Add File: ${path}\r\n+x\r\n*** End Patch` })],
    ["patch", (path) => ({ diff: `--- /dev/null\n+++ ${path}\n@@ -0,0 +1 @@\n+x\n` })],
    ["patch", (path) => ({ diff: `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n` })],
    ["hashline", (path) => ({ input: `¶${path}#ABCD\ninsert tail:\n+x\n` })],
  ];

  it.each(PATCHES)("%s", async (variant, args) => {
    await withSettings(`editVariant: ${variant}\n`, ({ view }) =>
      view.messages.some(({ results }) => results.length > 0)
        ? turn.text("done")
        : turn.calls([{ name: "edit", args: args(outside()), id: "c" }]),
    );
    const { code, stdout } = await scene.run(["--mode", "json", "-p", "go"]);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ status: "denied", denied: [{ callId: "c", tool: "edit" }] });
    expect(code).toBe(4);
    expect(existsSync(outside())).toBe(false);
  });

  it("inside it does not, also when the content speaks of other places", async () => {
    const content = "--- /etc/passwd\n*** Update File: /etc/hosts\n¶/etc/fstab#ABCD\n";
    await withSettings("", [
      turn.calls([{ name: "write_file", args: { file_path: "a.md", content } }]),
      turn.text("done"),
    ]);
    expect(await scene.run(["-p", "go"])).toMatchObject({ code: 0 });
    expect(await readFile(join(scene.box.dir, "a.md"), "utf8")).toBe(content);
  });
});
