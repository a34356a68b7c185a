import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FAMILIES } from "@lathe/agent";
import { call, type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bestVariant } from "../src/models/edit-record.ts";
import { type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
let server: ModelServer;
let edits: readonly Record<string, unknown>[] = [];
beforeEach(async () => {
  box = await sandbox();
  edits = [];
  let at = 0;
  server = await startModelServer({
    auth: "none",
    listings: {
      models: [{ id: "tiny:1b", contextLength: 16_384 }],
      props: { contextLength: 16_384 },
      missing: ["/responses"],
    },
    script: ({ view }) => {
      const isNew = view.messages.at(-1)?.role === "user";
      if (isNew) at = 0;
      const args = edits[at++];
      return args ? turn.blocks([call({ name: "edit", args })]) : turn.text("ok");
    },
  });
  await writeFile(join(box.dir, "a.txt"), "one\ntwo\n");
});
afterEach(async () => {
  await server.close();
  await box.remove();
});

const run = (...args: string[]) =>
  box.run(["--model", "llama.cpp/tiny:1b", "--permission-mode", "full", ...args], {
    env: {
      LLAMA_CPP_BASE_URL: server.url,
      OLLAMA_BASE_URL: "http://127.0.0.1:9",
      LM_STUDIO_BASE_URL: "http://127.0.0.1:9/v1",
    },
  });
const counts = async () => JSON.parse(await readFile(join(box.env["LATHE_HOME"]!, "cache/edit-variants.json"), "utf8"));
const editTool = () => {
  // biome-ignore lint/suspicious/noExplicitAny: a body of Chat Completions
  const tool = server.requests.at(-1)!.body.tools.find((one: any) => one.function.name === "edit");
  return Object.keys(tool.function.parameters.properties);
};
const failing = Array.from({ length: 8 }, (_, nth) => ({
  file_path: "a.txt",
  old_string: `no ${nth}`,
  new_string: "x",
}));

describe("G-69 which way of editing works", () => {
  it("G-69 is counted per model, and a session that begins later uses a better one; one that goes on keeps its own", async () => {
    edits = [...failing, { file_path: "a.txt", old_string: "two", new_string: "TWO" }];
    expect(await run("-p", "edit")).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(editTool()).toEqual(["file_path", "old_string", "new_string"]);
    expect(await counts()).toEqual({ "llama.cpp/tiny:1b": { replace: { applied: 1, refused: 8 } } });
    edits = [];
    await run("-c", "-p", "go on");
    expect(editTool()).toEqual(["file_path", "old_string", "new_string"]);
    await run("-p", "new");
    const learned = editTool();
    expect(learned).not.toContain("old_string");
    // It follows its prompt's description, whatever is known meanwhile.
    await writeFile(join(box.env["LATHE_HOME"]!, "cache/edit-variants.json"), "{}");
    await run("-c", "-p", "go on");
    expect(editTool()).toEqual(learned);
    const [before, after] = server.requests.flatMap(({ body }) => (body?.messages ? [body.messages] : [])).slice(-2);
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it("G-69 lathe stats edits shows the counts; the user's choice wins", async () => {
    edits = failing;
    await run("-p", "edit");
    const { stdout } = await box.run(["stats", "edits"]);
    expect(stdout).toMatch(/llama\.cpp\/tiny:1b +replace +0 +8 +0 %/);
    edits = [];
    await writeFile(join(box.env["LATHE_HOME"]!, "config.yml"), "editVariant: replace\n");
    await run("-p", "new");
    expect(editTool()).toEqual(["path", "edits"]);
    expect((await box.run(["stats", "nonsense"])).stderr).toContain('lathe stats takes no word but "edits"');
  });

  it("G-69 the best by what is known: nothing changes before eight edits, nor where half are applied", () => {
    const own = { id: "minimal", toolsWith: FAMILIES.minimal.toolsWith };
    expect(bestVariant({ replace: { applied: 0, refused: 7 } }, own)).toBeUndefined();
    expect(bestVariant({ replace: { applied: 5, refused: 5 } }, own)).toBeUndefined();
    expect(bestVariant({ replace: { applied: 3, refused: 5 } }, own)).toBe("hashline");
    expect(bestVariant({ replace: { applied: 3, refused: 5 }, hashline: { applied: 0, refused: 9 } }, own)).toBe(
      "patch",
    );
    const all = { applied: 1, refused: 9 };
    expect(
      bestVariant({ replace: { applied: 2, refused: 8 }, hashline: all, patch: all, apply_patch: all }, own),
    ).toBeUndefined();
  });
});
