import { mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { type EditVariant, editVariant } from "../../src/tools/builtin/edit-variant.ts";
import { defineProfile, type ProfileOptions } from "../../src/tools/profiles/define.ts";
import { FAMILIES } from "../../src/tools/profiles/families.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { DIALECTS, type Dialect, wire } from "../support/wire.ts";

const MODELS: Record<Dialect, string> = {
  openai: "gpt-5.2",
  anthropic: "claude-opus-4-6",
  gemini: "gemini-3-pro-preview",
};

async function start(dialect: Dialect, script: Parameters<typeof wire>[1], options: Partial<ProfileOptions>) {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-variant-")));
  await writeFile(join(dir, "a.txt"), "one\ntwo\nthree\nfour\nfive\nsix\n");
  const w = await wire(dialect, script, {
    profile: defineProfile(FAMILIES[dialect], { model: MODELS[dialect], ...options }),
    env: new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"] } }),
  });
  return { ...w, file: (name: string) => readFile(join(dir, name), "utf8") };
}

const headerIn = (text: string): string => /¶[^\n]*#[0-9A-F]{4}/.exec(text)?.[0] ?? "no header";

it.each(DIALECTS)(
  "T-EDIT-1 T-EDIT-2 T-READ-2 hashline, %s: read, edit by anchors, edit again with the fresh ones",
  async (dialect) => {
    const steps: ((header: string) => ReturnType<typeof turn.calls>)[] = [
      () => turn.calls([{ name: "read_file", id: "r", args: { file_path: "a.txt", offset: 3, limit: 1 } }]),
      (header) => turn.calls([{ name: "edit", id: "e1", args: { input: `${header}\nreplace 3..3:\n+3\n+3.5` } }]),
      (header) => turn.calls([{ name: "edit", id: "e2", args: { input: `${header}\ndelete 4\ninsert tail:\n+end` } }]),
      () =>
        turn.calls([{ name: "write_file", id: "w", args: { file_path: "b.txt", content: "¶a.txt#0000\n1:x\n2:y\n" } }]),
    ];
    let step = 0;
    const script: Parameters<typeof wire>[1] = ({ view }) => {
      const shown = view.messages.flatMap((message) => message.results).at(-1)?.text ?? "";
      return steps[step++]?.(headerIn(shown)) ?? turn.text("done");
    };
    const seen = (index: number, id: string, name: string) => w.result(index, id, name).text;
    const w = await start(dialect, script, { editVariant: "hashline" });
    await w.session.submit("change it");
    await w.finish();
    expect(seen(1, "r", "read_file")).toMatch(/^¶a\.txt#[0-9A-F]{4}\n2:two\n3:three\n4:four\n5:five\n6:six$/);
    expect(seen(2, "e1", "edit")).toContain("+3:3\n+4:3.5");
    expect(await w.file("a.txt")).toBe("one\ntwo\n3\nfour\nfive\nsix\nend\n");
    expect(seen(4, "w", "write_file")).toMatch(
      /^¶b\.txt#[0-9A-F]{4}\nCreated b\.txt \(4 bytes\)\nNote: the line numbers/,
    );
    expect(await w.file("b.txt")).toBe("x\ny\n");
    const system = w.server.requests[0]?.view.system ?? "";
    expect(system).toContain("`edit` changes files by line number");
    expect(system).not.toMatch(/`edit_file`|`apply_patch`|\{\{/);
  },
);

const CALLS: Record<Exclude<EditVariant, "hashline">, Record<string, unknown>> = {
  replace: { path: "a.txt", edits: [{ old_text: "two", new_text: "2" }] },
  patch: { diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" },
  apply_patch: { patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch" },
};

it.each(Object.entries(CALLS))(
  "T-EDIT-1 T-EDIT-5 the variant %s is the tool `edit` of every family",
  async (variant, args) => {
    for (const dialect of DIALECTS) {
      const script = [turn.calls([{ name: "edit", id: "e", args: args as never }]), turn.text("done")];
      const w = await start(dialect, script, { editVariant: variant as EditVariant });
      await w.session.submit("change it");
      await w.finish();
      expect(w.result(1, "e", "edit")).toMatchObject({ isError: false });
      expect(await w.file("a.txt")).toBe("one\n2\nthree\nfour\nfive\nsix\n");
    }
  },
);

it("T-EDIT-1 each variant has its own schema, and a bogus name means the default", () => {
  const profile = (variant: EditVariant) =>
    defineProfile(FAMILIES.anthropic, { model: "claude-opus-4-6", editVariant: variant });
  const schemas = (["hashline", "replace", "patch", "apply_patch"] as const).map((variant) =>
    JSON.stringify(
      profile(variant)
        .tools()
        .find((tool) => tool.name === "edit")?.parameters,
    ),
  );
  expect(new Set(schemas).size).toBe(4);
  expect(editVariant("bogus")).toBe(editVariant(undefined));
});

it("T-EDIT-1 the four-tool set keeps its short names", () => {
  const names = defineProfile(FAMILIES.minimal, { model: "qwen", editVariant: "hashline" }).toolRegistry.names();
  expect([...names]).toEqual(["read", "bash", "edit", "write"]);
});
