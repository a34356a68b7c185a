// Another program writes the same file between the check and the write.

import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { applyPatchTool } from "../../src/tools/builtin/apply-patch/index.ts";
import { editFileTool } from "../../src/tools/builtin/edit-file/index.ts";
import { writeFileTool } from "../../src/tools/builtin/write-file/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import type { DeleteOptions, WriteOptions } from "../../src/world/env/types.ts";
import { contextFor, run, temporary } from "./harness.ts";

/** Calls `others` right before each write. */
function disturbed(directory: string, others: (path: string) => Promise<void>): LocalEnvironment {
  return new (class extends LocalEnvironment {
    override async writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void> {
      await others(path);
      await super.writeFile(path, content, options);
    }
  })({ cwd: directory, baseEnv: {} });
}

it("TL-03 a file that another program writes at the last moment keeps what that program wrote", async () => {
  const { directory, path } = temporary();
  await writeFile(path("f"), "a\n");
  const env = disturbed(directory, (file) => writeFile(file, "theirs\n"));
  const edited = await run(editFileTool, { file_path: "f", old_string: "a", new_string: "b" }, contextFor(env));
  expect(edited).toMatchObject({
    failed: true,
    text: expect.stringContaining("Changed by another program in the meantime"),
  });
  expect(await readFile(path("f"), "utf8")).toBe("theirs\n");
  const written = await run(writeFileTool, { file_path: "new", content: "ours\n" }, contextFor(env));
  expect(written.failed).toBe(true);
  expect(await readFile(path("new"), "utf8")).toBe("theirs\n");
});

it("PA-03 a failed patch does not take back what others have written since", async () => {
  const { directory, path } = temporary();
  for (const name of ["a", "b"]) await writeFile(path(name), "1\n");
  const env = disturbed(directory, async (file) => {
    if (!file.endsWith("b")) return;
    while ((await readFile(path("a"), "utf8")) === "1\n") await new Promise((resolve) => setTimeout(resolve, 5));
    await writeFile(path("a"), "theirs\n");
    await writeFile(path("b"), "theirs\n");
  });
  const hunk = ["@@", "-1", "+2"];
  const patch = ["*** Begin Patch", "*** Update File: a", ...hunk, "*** Update File: b", ...hunk, "*** End Patch"];
  const result = await run(applyPatchTool, { patch: patch.join("\n") }, contextFor(env));
  expect(result).toMatchObject({
    failed: true,
    text: expect.stringContaining("could not be restored; check them: a."),
  });
  for (const name of ["a", "b"]) expect(await readFile(path(name), "utf8")).toBe("theirs\n");
});

it("PA-03 a file that another program writes right before it is deleted stays as that program wrote it", async () => {
  const { directory, path } = temporary();
  await writeFile(path("f"), "a\n");
  const env = new (class extends LocalEnvironment {
    override async deleteFile(file: string, options?: DeleteOptions): Promise<void> {
      await writeFile(file, "theirs\n");
      await super.deleteFile(file, options);
    }
  })({ cwd: directory, baseEnv: {} });
  const patch = ["*** Begin Patch", "*** Delete File: f", "*** End Patch"].join("\n");
  expect(await run(applyPatchTool, { patch }, contextFor(env))).toMatchObject({ failed: true });
  expect(await readFile(path("f"), "utf8")).toBe("theirs\n");
  expect(readdirSync(directory)).toEqual(["f"]);
});
