// A file system of a given size, if the machine lets us mount one.

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const canMount = mountsTmpfs();

function mountsTmpfs(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "lathe-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder], { stdio: "ignore" });
    return true;
  } catch {
    return false; // not allowed here
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** No process may keep a file open there when the test ends. */
export async function withTmpfs(folder: string, size: string, test: (folder: string) => Promise<void>): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
  try {
    await test(folder);
  } finally {
    await run("umount", ["-l", folder]);
  }
}
