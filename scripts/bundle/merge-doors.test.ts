// The merged file that a host loads has lines short enough for a terminal: Node prints the line of an uncaught error.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildLibrary } from "../build.mjs";

it("no line of the merged file is longer than a screen", async () => {
  const folder = mkdtempSync(join(import.meta.dirname, "..", "..", "packages", "agent", ".merged-"));
  try {
    await buildLibrary("agent", folder);
    const lines = readFileSync(join(folder, "merged.js"), "utf8").split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(3000);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
