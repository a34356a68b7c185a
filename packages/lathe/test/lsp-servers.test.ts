// Real language servers, each with a project of its own: what they tell, what they say after an edit, what they would rename.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkLanguage, LspHarness } from "./lsp-harness.ts";
import { BIOME, PROJECTS } from "./lsp-projects.ts";

let folder: string;
let env: LocalEnvironment;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe lsp#")));
  env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder } });
});

afterEach(async () => {
  await env.cleanup();
  rmSync(folder, { recursive: true, force: true });
});

it.each(Object.entries(PROJECTS))(
  "LP-02 LP-03 LP-04 %s answers, names the errors of an edit in files never opened, and renames everywhere",
  async (_name, project) => {
    await checkLanguage(project, env);
  },
  180_000,
);

it("LP-05 biome's findings come after an edit, and its daemon ends with it", async () => {
  const lsp = await LspHarness.open(BIOME, env);
  const said = await lsp.edit("a.js", "export const x = 1;\ndebugger;\n");
  expect(said).toContain("a.js: 1 new error");
  expect(said).toContain("[biome lint/suspicious/noDebugger]");
  expect(await lsp.edit("a.js", "export const x = 1;\n")).toContain("a.js: 1 fixed");
  await lsp.close();
}, 120_000);
