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
    const terms = { name: "job", budget: { usd: 2, period: "ever" as const }, lastsMs: 60_000 };
    const run = withRunKey(keys, "http://gateway", terms, async (variables) => {
      const key = variables["OPENAI_API_KEY"]!;
      const found = keys.find(key)!;
      states.push(keys.stateOf(found));
      expect(found.budget).toEqual(terms.budget);
      expect(variables).toEqual({
        OPENAI_BASE_URL: "http://gateway/v1",
        OPENAI_API_KEY: key,
        ANTHROPIC_BASE_URL: "http://gateway",
        ANTHROPIC_API_KEY: key,
      });
      throw new Error("the run fails");
    });
    await expect(run).rejects.toThrow("the run fails");
    expect([...states, ...keys.list().map((key) => keys.stateOf(key))]).toEqual(["active", "revoked"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("M2 keys that ended long ago are forgotten when another one is made; those that still work never are", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  try {
    const day = 86_400_000;
    let now = Date.UTC(2026, 0, 1);
    const keys = new KeyFile(join(folder, "keys.json"), () => now);
    await keys.add({ name: "lasting" });
    await keys.add({ name: "revoked" });
    await keys.revoke("revoked");
    await keys.add({ name: "expired", lastsMs: 2 * day });
    const { key } = await keys.add({ name: "long", lastsMs: 90 * day });
    const names = (): string[] => keys.list().map(({ name }) => name);
    now += 31 * day;
    await keys.add({ name: "next" });
    expect(names()).toEqual(["lasting", "expired", "long", "next"]);
    now += 2 * day;
    await keys.add({ name: "another" });
    expect([names(), keys.find(key)?.name]).toEqual([["lasting", "long", "next", "another"], "long"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
