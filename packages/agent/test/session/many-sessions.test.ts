import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startModelServer, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { bundleOf } from "../support/bundle.ts";

const SESSIONS = process.env["LATHE_LONG"] ? 600 : 40;

it(`${SESSIONS} sessions in one process leave no descriptor open, and the heap stays as it was`, async () => {
  await using server = await startModelServer({ script: () => turn.text("hi") });
  const cwd = mkdtempSync(join(tmpdir(), "lathe-many-"));
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    await bundleOf("../many-sessions.ts", import.meta.url),
    server.baseUrl("anthropic"),
    cwd,
    String(SESSIONS),
  ]);
  const { before, after } = JSON.parse(stdout) as Record<"before" | "after", { descriptors: number; heap: number }>;
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors);
  expect(after.heap / before.heap).toBeLessThan(1.5);
}, 300_000);
