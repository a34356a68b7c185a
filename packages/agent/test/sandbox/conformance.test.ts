// The conformance suite with commands in a real sandbox.

import { mkdtempSync, realpathSync, rmSync, utimesSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SandboxedLocalEnvironment } from "../../src/world/env/sandbox/sandboxed-local.ts";
import { environmentConformance } from "../env-conformance.ts";
import { has } from "../programs.ts";

describe.skipIf(!has("bwrap", "nsenter"))("EE-04 sandboxed (needs bwrap, nsenter)", () => {
  const make = (root: string) =>
    new SandboxedLocalEnvironment({ cwd: root, baseEnv: process.env, roots: () => [root], home: homedir() });

  environmentConformance(
    async () => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-sandboxed-")));
      const env = make(root);
      return {
        env,
        setMtime: async (path, seconds) => utimesSync(env.resolve(path), seconds, seconds),
        dispose: async () => rmSync(root, { recursive: true, force: true }),
      };
    },
    // The files are those of the machine behind the guard.
    { commands: true, inherits: ["tools", "links"] },
  );

  it("EE-01 has an identity of its own: its ports are seen in no other", () => {
    expect(make(tmpdir()).identity).not.toBe(make(tmpdir()).identity);
  });
});
