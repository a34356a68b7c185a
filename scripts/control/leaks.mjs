// Checks that the published files contain no home folder, checkout folder or user name of this machine.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";

const PACKAGES = ["llm", "agent", "tui", "lathe"];

export function leaksIn(root) {
  const { username, homedir } = userInfo();
  // A name such as `root` is also an ordinary word.
  const names = username.length > 4 ? [`/home/${username}`, `/Users/${username}`] : [];
  const traces = [root, ...(homedir.length > 5 ? [homedir] : []), ...names];
  const files = PACKAGES.flatMap((name) => filesBelow(join(root, "packages", name, "dist")));
  return files.flatMap((file) => {
    const text = readFileSync(file, "latin1");
    const found = traces.find((trace) => text.includes(trace));
    return found === undefined ? [] : [`${file.slice(root.length + 1)} contains ${found}`];
  });
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile() && /\.(?:m?js|cjs|ts|json|html|css|md)$/.test(file));
