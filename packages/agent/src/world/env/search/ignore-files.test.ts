// Ignore files other than .gitignore: the in-process engine honours what ripgrep honours.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalEnvironment } from "../local.ts";
import { MemoryEnvironment } from "../memory.ts";

const TREE: Record<string, string> = {
  "above/.ignore": "from-above.txt\n",
  "above/.gitignore": "beyond-the-border.txt\n",
  "above/repo/.git/info/exclude": "excluded.txt\n/only-root.txt\n",
  "above/repo/.gitignore": "*.log\nboth.txt\n",
  "above/repo/.ignore": "!kept.log\nignored.txt\n",
  "above/repo/.rgignore": "!ignored.txt\nrg.txt\n",
  "above/repo/from-above.txt": "needle",
  "above/repo/beyond-the-border.txt": "needle",
  "above/repo/excluded.txt": "needle",
  "above/repo/only-root.txt": "needle",
  "above/repo/a.log": "needle",
  "above/repo/kept.log": "needle",
  "above/repo/both.txt": "needle",
  "above/repo/ignored.txt": "needle",
  "above/repo/rg.txt": "needle",
  "above/repo/global.txt": "needle",
  "above/repo/sub/.ignore": "!both.txt\n",
  "above/repo/sub/both.txt": "needle",
  "above/repo/sub/excluded.txt": "needle",
  "above/repo/sub/only-root.txt": "needle",
  "above/repo/sub/global.txt": "needle",
  "home/.gitconfig": '[user]\n\tname = x\n[core]\n\texcludesFile = "~/my-ignores"\n',
  "home/my-ignores": "global.txt\n",
  "other/.config/git/ignore": "kept.log\nsub/\n",
};

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-ignore-")));
  for (const [path, content] of Object.entries(TREE)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.each(["ripgrep", "builtin"] as const)("%s", (search) => {
  const files = async (home: string, path = ".") => {
    const cwd = join(root, "above/repo");
    const env = new LocalEnvironment({ cwd, baseEnv: { PATH: process.env["PATH"], HOME: join(root, home) }, search });
    return (await env.grep("needle", path, { mode: "files_with_matches" })).lines;
  };

  it("TL-05 .ignore, .rgignore, .git/info/exclude and core.excludesFile are honoured, in ripgrep's order", async () => {
    expect(await files("home")).toEqual([
      "beyond-the-border.txt",
      "ignored.txt",
      "kept.log",
      "sub/both.txt",
      "sub/only-root.txt",
    ]);
    expect(await files("home", "sub")).toEqual(["sub/both.txt", "sub/only-root.txt"]);
  });

  it("TL-05 without that setting the usual place of git's global file counts", async () => {
    expect(await files("other")).toEqual(["beyond-the-border.txt", "global.txt", "ignored.txt", "kept.log"]);
  });
});

it("TL-05 an environment without a home has no global file", async () => {
  const env = new MemoryEnvironment({ cwd: "/above/repo" });
  for (const [path, content] of Object.entries(TREE)) await env.writeFile(`/${path}`, content);
  expect((await env.glob("sub/*.txt", ".")).paths.toSorted()).toEqual([
    "sub/both.txt",
    "sub/global.txt",
    "sub/only-root.txt",
  ]);
});

describe.each(["ripgrep", "builtin"] as const)("%s", (search) => {
  it("TL-05 .gitignore files count outside of a repository too, and for the repositories inside", async () => {
    const cwd = join(root, "above");
    const env = new LocalEnvironment({ cwd, baseEnv: { PATH: process.env["PATH"], HOME: join(root, "home") }, search });
    expect((await env.grep("needle", ".", { mode: "files_with_matches" })).lines).toEqual([
      "repo/ignored.txt",
      "repo/kept.log",
      "repo/sub/both.txt",
      "repo/sub/only-root.txt",
    ]);
  });
});
