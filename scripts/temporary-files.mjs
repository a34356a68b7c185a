// One folder for all temporary files of a test run, gone at its end. Its path is short: sockets below it have 107 bytes, screens some 60 columns.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function setup() {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "t"));
  chmodSync(folder, 0o1777); // as /tmp: tests also run as other users
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    // A test that broke off may have left something mounted, which is not ours to remove.
    const here = process.platform === "linux" ? ["--one-file-system"] : [];
    const { stderr } = spawnSync("rm", ["-rf", ...here, folder], { encoding: "utf8" });
    if (stderr) console.log(`Temporary files are left in ${folder}: ${stderr.split("\n", 1)[0]}`);
  };
}
