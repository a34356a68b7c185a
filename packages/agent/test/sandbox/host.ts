// A host that runs one program in its own sandbox. Arguments: the program and its arguments.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SandboxedLocalEnvironment } from "../../src/world/env/sandbox/sandboxed-local.ts";
import type { ProgramArgv } from "../../src/world/env/types.ts";

const root = mkdtempSync(join(tmpdir(), "lathe-sandbox-host-"));
const tempFolder = process.env["SANDBOX_TEMP"];
const env = new SandboxedLocalEnvironment({
  cwd: root,
  baseEnv: process.env,
  roots: () => [root],
  home: root,
  tempFolder,
});
const running = await env.startProcess!(process.argv.slice(2) as unknown as ProgramArgv, {
  onStderr: (text) => process.stderr.write(text),
});
for await (const chunk of running.stdout) process.stdout.write(chunk);
await env.cleanup();
rmSync(root, { recursive: true, force: true });
