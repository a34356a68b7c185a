// Real language servers, each with its own project: what they report, what they say after an edit, what they would
// rename.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { expect, it } from "vitest";
import { checkLanguage, LspHarness, settledEdit } from "./lsp-harness.ts";
import { BIOME, PROJECTS } from "./lsp-projects.ts";

async function inFolder(use: (env: LocalEnvironment) => Promise<void>): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe lsp#")));
  const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder } });
  try {
    await use(env);
  } finally {
    await env.cleanup();
    rmSync(folder, { recursive: true, force: true });
  }
}

// Side by side: most of the time they wait for what a server may still have to say.
it.concurrent.each(Object.entries(PROJECTS))(
  "LP-02 LP-03 LP-04 %s answers, names the errors of an edit in files never opened, and renames everywhere",
  (_name, project) => inFolder((env) => checkLanguage(project, env)),
  180_000,
);

it.concurrent(
  "LP-05 biome's findings come after an edit, and its daemon ends with it",
  () =>
    inFolder(async (env) => {
      const lsp = await LspHarness.open(BIOME, env);
      const wait = { timeoutMs: 60_000 };
      expect(await lsp.ask({ action: "diagnostics", file: "a.js", ...wait })).toBe("OK");
      const said = await settledEdit(lsp, "a.js", "export const x = 1;\ndebugger;\n");
      expect(said).toContain("a.js: 1 new error");
      expect(said).toContain("[biome lint/suspicious/noDebugger]");
      expect(await settledEdit(lsp, "a.js", "export const x = 1;\n")).toContain("a.js: 1 fixed");
      expect(await lsp.ask({ action: "diagnostics", file: "*", ...wait })).toBe("OK");
      // It goes on without its rules: its silence must not be read as praise.
      const failed = "The plugin loading has failed.";
      const path = (name: string): string => join(env.workingDirectory(), name);
      await env.writeFile(path("p.grit"), "x\n");
      await env.writeFile(path("biome.json"), '{"plugins":["./p.grit"]}\n');
      const blind = await settledEdit(lsp, "a.js", "export const x = 1;\ndebugger;\n");
      expect(blind).toContain(`biome may not have checked a.js: ${failed}`);
      expect(await lsp.ask({ action: "diagnostics", file: "a.js", ...wait })).toContain(
        `may not have checked it: ${failed}`,
      );
      expect(await lsp.ask({ action: "diagnostics", file: "*", ...wait })).toContain(`biome says: ${failed}`);
      expect(await lsp.ask({ action: "status" })).toContain(`biome: running: ${failed}`);
      await env.writeFile(path("biome.json"), "{}\n");
      expect(await lsp.ask({ action: "diagnostics", file: "a.js", ...wait })).toMatch(/^2:1 error .*noDebugger\]$/);
      await lsp.close();
    }),
  120_000,
);
