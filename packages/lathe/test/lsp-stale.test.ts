// Changes by commands, git and editors between two requests: no outdated error is reported, and no new one is missed.

import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { expect, it } from "vitest";
import { SERVER_ROWS } from "../src/additions/lsp/server-rows.ts";
import { LspHarness } from "./lsp-harness.ts";
import { PROJECTS } from "./lsp-projects.ts";

const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

it("LP-03 after sed -i, git checkout and an editor's save no stale error is told, and new ones are seen in files never opened", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-stale-")));
  const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder } });
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: folder,
      stdio: "pipe",
    });
  };
  const row = SERVER_ROWS.find(({ name }) => name === "typescript")!;
  const { files } = PROJECTS["typescript-language-server"]!;
  const other = { "src/c.ts": "export const c = 1;\n", "src/gone.ts": "export const gone = 1;\n" };
  const users = { "src/d.ts": 'import { gone } from "./gone.js";\nexport const d = gone;\n' };
  const lsp = await LspHarness.open(
    { row: { ...row, name: "own", command: TSC }, files: { ...files, ...other, ...users } },
    env,
  );
  const problems = (file: string): Promise<string> => lsp.ask({ action: "diagnostics", file, timeoutMs: 60_000 });
  try {
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-q", "-m", "one");
    // A branch on which greet has another name, a file is gone and another one is there.
    git("checkout", "-q", "-b", "two");
    execFileSync("sed", ["-i", "s/greet/hail/", "src/a.ts", "src/b.ts"], { cwd: folder });
    execFileSync("sed", ["-i", "2s/greet/hail/", "src/b.ts"], { cwd: folder });
    rmSync(join(folder, "src/gone.ts"));
    writeFileSync(join(folder, "src/new.ts"), "export const fresh = 1;\n");
    writeFileSync(join(folder, "src/d.ts"), 'import { fresh } from "./new.js";\nexport const d = fresh;\n');
    git("add", "-A");
    git("commit", "-q", "-m", "two");
    git("checkout", "-q", "main");

    expect(await problems("src/b.ts")).toBe("OK");
    expect(await problems("src/d.ts")).toBe("OK");
    execFileSync("sed", ["-i", "s/name: string/name: number/", "src/a.ts"], { cwd: folder });
    expect(await problems("src/b.ts")).toContain("not assignable to parameter of type 'number'");
    git("checkout", "-q", "--", "src/a.ts");
    expect(await lsp.edit("src/c.ts", "export const c = 2;\n")).toBe("");
    expect(await problems("src/b.ts")).toBe("OK");
    git("checkout", "-q", "-f", "two");
    expect(await problems("src/b.ts")).toBe("OK");
    expect(await problems("src/d.ts")).toBe("OK");
    git("checkout", "-q", "main");
    expect(await problems("src/d.ts")).toBe("OK");
    // Editors write a new file and rename it.
    writeFileSync(join(folder, "src/a.ts~"), "export function greet(): string {\n  return 1;\n}\n");
    renameSync(join(folder, "src/a.ts~"), join(folder, "src/a.ts"));
    expect(await problems("src/b.ts")).toContain("Expected 0 arguments");
    const said = await lsp.edit("src/a.ts", files["src/a.ts"]!);
    expect(said).toContain("src/a.ts: 1 fixed");
    expect(said).toContain("src/b.ts: 1 fixed");
    // A file that disappears is missed by those that use it.
    rmSync(join(folder, "src/gone.ts"));
    expect(await problems("src/d.ts")).toContain("Cannot find module './gone.js'");
  } finally {
    await lsp.close();
    await env.cleanup();
    rmSync(folder, { recursive: true, force: true });
  }
}, 180_000);
