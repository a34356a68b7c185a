import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KeyFile } from "./key-file.ts";
import { withRunKey } from "./run-key.ts";

it("M2 the key of a run has its budget, and is revoked with it, also when the run fails", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  try {
    const keys = new KeyFile(join(folder, "keys.json"), Date.now);
    const states: (string | undefined)[] = [];
    const run = withRunKey(keys, "http://gateway", { name: "job", usd: 2, lastsMs: 60_000 }, async ({ key, env }) => {
      const found = keys.find(key)!;
      states.push(keys.stateOf(found));
      expect([found.budget, env["OPENAI_BASE_URL"], env["ANTHROPIC_API_KEY"]]).toEqual([
        { usd: 2, period: "ever" },
        "http://gateway/v1",
        key,
      ]);
      throw new Error("the run fails");
    });
    await expect(run).rejects.toThrow("the run fails");
    expect([...states, ...keys.list().map((key) => keys.stateOf(key))]).toEqual(["active", "revoked"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
