// Files that git tracks or would track, relative to the root.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

export function projectFiles(root, pattern) {
  return execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64e6,
  })
    .split("\n")
    .filter((file) => file !== "" && pattern.test(file) && existsSync(`${root}/${file}`));
}
