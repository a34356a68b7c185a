import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const LOADER = fileURLToPath(new URL("../../../../../scripts/source-loader.mjs", import.meta.url));
const FILE = new URL("./young-objects.ts", import.meta.url).href;
/** Most of the objects it creates are garbage at once; some stay for a while. */
const PROGRAM = `
const { keepYoungObjectsFew } = await import(${JSON.stringify(FILE)});
const { getHeapSpaceStatistics } = await import("node:v8");
keepYoungObjectsFew();
process.emit("lathe:first-request");
const kept = [];
for (let i = 0; i < 1e6; i++) kept[i % 20_000] = { i, list: [i] };
console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);
`;

describe("young objects", () => {
  it("a session that makes many of them does not take more room for them, and V8 knows how to be told so", () => {
    const args = ["--conditions=lathe-source", "--import", LOADER, "--input-type=module", "-e", PROGRAM];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThan(10_000_000);
  });
});
