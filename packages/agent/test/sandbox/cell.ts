// A sandbox to break out of: a home with secrets, a folder to work in, a folder outside, and a way to run attacks.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SandboxedLocalEnvironment, type SandboxOptions } from "../../src/world/env/sandbox/sandboxed-local.ts";
import type { ExecResult } from "../../src/world/env/types.ts";
import { has } from "../programs.ts";

export const CAN_CONFINE = has("bwrap", "nsenter", "python3");
export const NEEDS = "(needs bwrap, nsenter, python3)";

export interface Cell {
  readonly env: SandboxedLocalEnvironment;
  /** Has .ssh/id_rsa and other places that hold "TOP-SECRET". */
  readonly home: string;
  /** The working directory and only root. */
  readonly root: string;
  /** Next to it, with a file `kept` that contains "kept". */
  readonly outside: string;
  /** Never fails by itself: the test checks the exit code and the output. */
  run(script: string, env?: Record<string, string>): Promise<ExecResult>;
  python(script: string, ...args: string[]): Promise<ExecResult>;
  dispose(): Promise<void>;
}

/** Not in /tmp, of which the sandbox shows nothing anyway. */
const PLACE = "/var/lib";

export function makeCell(options: Partial<SandboxOptions> = {}): Cell {
  const folder = realpathSync(mkdtempSync(join(PLACE, "lathe-cell-")));
  const [home, root, outside] = [join(folder, "home"), join(folder, "home/work"), join(folder, "outside")];
  for (const path of [".ssh", ".aws", ".config/gh", "work"]) mkdirSync(join(home, path), { recursive: true });
  mkdirSync(outside);
  for (const path of [".ssh/id_rsa", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", ".npmrc"])
    writeFileSync(join(home, path), "TOP-SECRET\n");
  writeFileSync(join(outside, "kept"), "kept");
  const env = new SandboxedLocalEnvironment({ cwd: root, baseEnv: process.env, roots: () => [root], home, ...options });
  const run = (script: string, variables?: Record<string, string>): Promise<ExecResult> =>
    env.execCommand(script, 30_000, variables ? { env: variables } : {});
  return {
    env,
    home,
    root,
    outside,
    run,
    python: (script, ...args) => run('python3 -c "$SCRIPT" $ARGUMENTS', { SCRIPT: script, ARGUMENTS: args.join(" ") }),
    dispose: async () => {
      await env.cleanup();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
