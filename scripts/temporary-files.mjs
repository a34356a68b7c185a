// One folder for all temporary files of a test run, removed at its end. Its path is short: sockets below it may have
// 107 bytes, and screens some 60 columns. It is in memory if we may mount: tests wait for a disk thousands of times,
// because the code under test syncs (decision 0348).
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { release, tmpdir } from "node:os";
import { join } from "node:path";

const NAME = "lathe-tests-";

export function setup() {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "t"));
  const isMounted = mountMemory(folder);
  chmodSync(folder, 0o1777); // like /tmp, since tests also run as other users
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    if (isMounted) spawnSync("umount", ["-l", folder]);
    // A test that crashed may have left a mount, which we must not delete into.
    const here = process.platform === "linux" ? ["--one-file-system"] : [];
    const { stderr } = spawnSync("rm", ["-rf", ...here, folder], { encoding: "utf8" });
    if (stderr) console.log(`Temporary files are left in ${folder}: ${stderr.split("\n", 1)[0]}`);
  };
}

/** A long run uses the disk. So does a kernel whose tmpfs lacks user attributes, and a machine with little memory. */
function mountMemory(folder) {
  const [major, minor] = release().split(".").map(Number);
  if (process.env.LATHE_LONG || process.platform !== "linux" || major < 6 || (major === 6 && minor < 6)) return false;
  for (const line of readFileSync("/proc/mounts", "utf8").split("\n")) {
    const [source, path] = line.split(" ");
    // A killed run could not clean up.
    if (source.startsWith(NAME) && !existsSync(`/proc/${source.slice(NAME.length)}`)) spawnSync("umount", ["-l", path]);
  }
  const kilobytes = Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1] ?? 0);
  if (kilobytes < 6 << 20) return false;
  const options = `size=${Math.floor(kilobytes / 2)}k,mode=1777`;
  return spawnSync("mount", ["-t", "tmpfs", "-o", options, `${NAME}${process.pid}`, folder]).status === 0;
}
