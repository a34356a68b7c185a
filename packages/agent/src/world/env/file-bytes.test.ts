import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocalEnvironment } from "./local.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-bytes-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const environment = () => new LocalEnvironment({ cwd: folder, baseEnv: {} });

describe("the bytes of a file", () => {
  it.each([0, 1, 4096, (64 << 10) - 1, 64 << 10, 1_000_000])("are read and written whole: %d of them", async (size) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    const env = environment();
    await env.writeFile("a", bytes);
    expect(readFileSync(join(folder, "a")).equals(bytes)).toBe(true);
    expect((await env.readBytes("a")).equals(bytes)).toBe(true);
    const part = await env.readBytes("a", { start: 1, end: size + 10 });
    expect(part.equals(bytes.subarray(1))).toBe(true);
  });

  it("that grows while it is read are those of one moment, not cut inside a line that was there before", async () => {
    const line = `${"x".repeat(99)}\n`;
    appendFileSync(join(folder, "log"), line.repeat(10_000));
    const env = environment();
    const reads = Array.from({ length: 20 }, () => env.readBytes("log"));
    for (let n = 0; n < 200; n++) appendFileSync(join(folder, "log"), line);
    for (const bytes of await Promise.all(reads)) {
      expect(bytes.length).toBeGreaterThanOrEqual(line.length * 10_000);
      expect(bytes.toString()).toBe(line.repeat(bytes.length / line.length));
    }
  });

  it.skipIf(!existsSync("/proc/self/environ"))("whose size the system does not tell are all read", async () => {
    const value = "v".repeat(20_000);
    const child = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], VALUE: value } });
    await once(child, "spawn");
    const text = (await environment().readBytes(`/proc/${child.pid}/environ`)).toString();
    child.kill();
    expect(text.split("\0")).toContain(`VALUE=${value}`);
  });
});
