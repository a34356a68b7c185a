// Podman with its own storage, and an image made of busybox alone.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ViewContainer } from "../../src/files/isolate/types.ts";
import { has, program } from "../programs.ts";

export const CAN_CONTAIN = has("podman", "runc", "busybox");

export interface Podman {
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly container: ViewContainer;
  /** The environment for a program that calls podman without our arguments. */
  readonly variables: Readonly<Record<string, string>>;
  run(args: readonly string[], input?: Buffer): string;
  remove(): void;
}

export function makePodman(): Podman {
  const folder = mkdtempSync(join(tmpdir(), "lathe-podman-"));
  const baseEnv = { ...process.env, CONTAINERS_CONF: join(folder, "containers.conf") };
  const cliArgs = ["--root", join(folder, "root"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
  const run = (args: readonly string[], input?: Buffer): string =>
    execFileSync("podman", [...cliArgs, ...args], { env: baseEnv, input, stdio: ["pipe", "pipe", "pipe"] }).toString();
  const limits =
    '[containers]\nnetns = "none"\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n[engine]\nruntime = "runc"\n';
  writeFileSync(join(folder, "containers.conf"), limits);
  const storage = join(folder, "storage.conf");
  writeFileSync(
    storage,
    `[storage]\ndriver = "vfs"\ngraphroot = "${join(folder, "root")}"\nrunroot = "${join(folder, "run")}"\n`,
  );
  const files = join(folder, "image");
  for (const name of ["bin", "tmp", "proc", "sys", "dev", "etc", "root"])
    mkdirSync(join(files, name), { recursive: true });
  copyFileSync(program("busybox")!, join(files, "bin/busybox"));
  for (const name of execFileSync("busybox", ["--list"]).toString().trim().split("\n")) {
    if (name !== "busybox") symlinkSync("busybox", join(files, "bin", name));
  }
  const image = "localhost/lathe-view:1";
  run(["import", "-", image], execFileSync("tar", ["-C", files, "-c", "."], { maxBuffer: 64 << 20 }));
  return {
    baseEnv,
    variables: { CONTAINERS_CONF: join(folder, "containers.conf"), CONTAINERS_STORAGE_CONF: storage },
    container: { image, cliArgs, runArgs: ["--network=none"] },
    run,
    remove: () => removeWhileWritten(folder),
  };
}

const MOST_PASSES = 10;

/**
 * Podman may still clean up after its last container: the next pass finds what it writes after a pass has listed a
 * folder.
 */
function removeWhileWritten(folder: string): void {
  for (let pass = 1; ; pass++) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      return;
    } catch (error) {
      if (pass === MOST_PASSES) throw error;
    }
  }
}
