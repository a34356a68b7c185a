// What users read if the system does not let us confine commands. The failing programs stand for kernels that refuse.

import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SandboxedLocalEnvironment } from "../../src/world/env/sandbox/sandboxed-local.ts";
import { has } from "../programs.ts";

const folder = mkdtempSync(join(tmpdir(), "lathe-refused-"));
afterAll(() => rmSync(folder, { recursive: true }));

function withBubblewrap(script: string): SandboxedLocalEnvironment {
  const bwrap = join(folder, "bwrap");
  writeFileSync(bwrap, `#!/bin/sh\n${script}\n`);
  chmodSync(bwrap, 0o755);
  return new SandboxedLocalEnvironment({
    cwd: folder,
    baseEnv: process.env,
    roots: () => [folder],
    home: folder,
    bwrap,
  });
}

describe("a system that does not let us confine commands", () => {
  it.each([
    [
      "No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.",
      /user\.max_user_namespaces/,
    ],
    ["setting up uid map: Permission denied", /apparmor_restrict_unprivileged_userns/],
    ["loopback: Failed RTM_NEWADDR: Operation not permitted", /apparmor_restrict_unprivileged_userns/],
    ["Something new", /bwrap --ro-bind/],
  ])("G is named with the remedy, and nothing runs unconfined: %s", async (said, remedy) => {
    const env = withBubblewrap(`echo "bwrap: ${said}" >&2; exit 1`);
    const refused = { name: "EnvError", code: "unavailable", message: expect.stringMatching(remedy) };
    await expect(env.initialize()).rejects.toMatchObject(refused);
    await expect(env.execCommand("touch ran", 10_000)).rejects.toMatchObject(refused);
    await expect(env.startCommand!("touch ran").done).rejects.toMatchObject(refused);
    await expect(env.startProcess!(["touch", "ran"])).rejects.toMatchObject(refused);
    expect(existsSync(join(folder, "ran"))).toBe(false);
    await env.cleanup();
  });

  it.skipIf(!has("bwrap", "nsenter"))(
    "G a root that is the whole system is refused, also one that comes later (needs bwrap, nsenter)",
    async () => {
      const roots = ["/"];
      const env = new SandboxedLocalEnvironment({
        cwd: folder,
        baseEnv: process.env,
        roots: () => roots,
        home: folder,
      });
      const refused = { message: expect.stringContaining("Start in a project's folder") };
      await expect(env.initialize()).rejects.toMatchObject(refused);
      roots[0] = folder;
      expect(await env.execCommand("echo works", 60_000)).toMatchObject({ stdout: "works\n" });
      roots.push("/");
      await expect(env.execCommand("touch ran", 60_000)).rejects.toMatchObject(refused);
      expect(existsSync(join(folder, "ran"))).toBe(false);
      await env.cleanup();
    },
  );
});
