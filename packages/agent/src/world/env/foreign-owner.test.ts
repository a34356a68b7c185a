// Files that another user owns, tested as a user without root's rights, which only root can impersonate.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocalEnvironment } from "./local.ts";
import { type RunScript, ShellFiles } from "./shell-files.ts";

const NOBODY = 65_534;

/** Runs as an ordinary user on this machine. */
const run: RunScript = async ({ script, args, stdin }) => {
  const drop = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  const done = spawnSync("setpriv", [...drop, "sh", "-c", script, "lathe", ...args], { input: stdin ?? "" });
  return { exitCode: done.status ?? -1, stdout: done.stdout, stderr: done.stderr.toString() };
};

async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  process.setegid!(NOBODY);
  process.seteuid!(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

let root: string;
let local: LocalEnvironment;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lathe-owner-"));
  chmodSync(root, 0o755);
  local = new LocalEnvironment({ cwd: root, baseEnv: process.env });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(process.getuid?.() !== 0)("files of another owner (needs root)", () => {
  it("EE-01 EE-02 a directory that may not be read is listed, not entered, and does not spoil the listing", async () => {
    for (const name of ["a", "closed"]) mkdirSync(join(root, name));
    for (const name of ["a/x", "closed/y", "z"]) writeFileSync(join(root, name), "1");
    chmodSync(join(root, "closed"), 0);
    const names = ["a", "a/x", "closed", "z"];
    expect((await asNobody(() => local.listDirectory(".", 3))).map(({ name }) => name)).toEqual(names);
    expect((await new ShellFiles(run).listDirectory(root, 3)).map(({ name }) => name)).toEqual(names);
    await expect(asNobody(() => local.listDirectory("closed", 1))).rejects.toMatchObject({ code: "permission_denied" });
  });

  it("EE-01 EE-02 a writable file keeps its owner and its place, in a closed directory and in an open one", async () => {
    const far = new ShellFiles(run);
    const writes = {
      local: (path: string) => asNobody(() => local.writeFile(path, "new")),
      far: (path: string) => far.writeFile(path, "new", ".lathe-1.tmp", {}),
    };
    for (const [name, mode] of [
      ["closed", 0o755],
      ["open", 0o777],
    ] as const) {
      mkdirSync(join(root, name));
      for (const [who, write] of Object.entries(writes)) {
        const path = join(root, name, who);
        writeFileSync(path, "old");
        chmodSync(path, 0o666);
        chmodSync(join(root, name), mode);
        const { ino } = statSync(path);
        await write(path);
        expect({ text: readFileSync(path, "utf8"), ...owned(path) }).toEqual({ text: "new", ino, uid: 0, mode: 0o666 });
      }
      expect(execFileSync("ls", ["-A", join(root, name)]).toString()).toBe("far\nlocal\n");
    }
  });
});

function owned(path: string): { ino: number; uid: number; mode: number } {
  const { ino, uid, mode } = statSync(path);
  return { ino, uid, mode: mode & 0o777 };
}
