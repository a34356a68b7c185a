import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { expect, it } from "vitest";
import { Permissions } from "./permissions.ts";
import { SearchGuard } from "./search-guard.ts";

it("T-SEARCH-1 a search of hidden files does not read credentials", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-guard-")));
  const local = new LocalEnvironment({ cwd: root, baseEnv: process.env });
  try {
    for (const name of [".env", ".editorconfig"]) writeFileSync(join(root, name), "token\n");
    const places = { roots: [root], userHome: "/home/me", latheHome: "/home/me/.lathe" };
    const permissions = new Permissions({ mode: "auto-edit", canAsk: true, places });
    const env = new SearchGuard(local, permissions);
    const { files } = await env.grep("token", ".", { hidden: true, gitignore: false, perFile: 20 });
    expect(files.map(({ path }) => path)).toEqual([".editorconfig"]);
  } finally {
    await local.cleanup();
    rmSync(root, { recursive: true, force: true });
  }
});
