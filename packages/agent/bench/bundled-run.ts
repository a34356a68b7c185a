// Runs a program of this folder as users get it, bundled and in a plain process of its own, against a model server in another one.

import { execFile, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleProgram } from "../test/support/bundle.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export interface BundledRun {
  readonly program: string;
  readonly server: string;
  readonly serverArgs?: readonly string[];
  /** The program gets `what`, the server's address, a folder of its own, then these. */
  readonly what: string;
  readonly args?: readonly string[];
}

/** What it prints, as JSON. */
export async function bundledRun<T>({ program, server, serverArgs = [], what, args = [] }: BundledRun): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "lathe-bench-"));
  const bundle = join(folder, "run.mjs");
  await bundleProgram(here(program), bundle);
  const model = fork(here(server), serverArgs);
  try {
    const { url } = await new Promise<{ url: string }>((resolve) => model.once("message", resolve as never));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--expose-gc", bundle, what, url, folder, ...args],
      { cwd: folder },
    );
    return JSON.parse(stdout) as T;
  } finally {
    model.kill();
    rmSync(folder, { recursive: true });
  }
}
