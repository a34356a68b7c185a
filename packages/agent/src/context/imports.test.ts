// What a repository's instruction file brings into the prompt by importing other files.

import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { LocalEnvironment } from "../world/env/local.ts";
import { projectDocs } from "./project-docs.ts";

let dir: string;
let warnings: string[];
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-imports-")));
  warnings = [];
});

const file = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
};

/** The home folder is `dir`, the repository `dir/repo`. */
async function docs(families: readonly string[] = ["CLAUDE.md"], cwd = "repo"): Promise<string> {
  const env = new LocalEnvironment({ cwd: join(dir, cwd), baseEnv: { HOME: dir } });
  return (
    await projectDocs(env, families, join(dir, "repo"), [], ({ path, message }) => warnings.push(`${path}: ${message}`))
  ).text;
}

it("EX-12 @path in CLAUDE.md and GEMINI.md brings the file, with what that imports, each once and before the file that names it", async () => {
  await file("repo/CLAUDE.md", "See @docs/style.md, and @docs/git\\ flow.md.\n\n@AGENTS.md");
  await file("repo/AGENTS.md", "Mail @nobody.md");
  await file("repo/nobody.md", "AGENTS.md imports nothing");
  await file("repo/docs/style.md", "Two spaces.\n@./more.md");
  await file("repo/docs/more.md", "No tabs.");
  await file("repo/docs/git flow.md", "Rebase.");
  expect(await docs()).toBe(
    "# AGENTS.md\n\nMail @nobody.md\n\n# docs/more.md\n\nNo tabs.\n\n# docs/style.md\n\nTwo spaces.\n@./more.md\n\n# docs/git flow.md\n\nRebase.\n\n# CLAUDE.md\n\nSee @docs/style.md, and @docs/git\\ flow.md.\n\n@AGENTS.md",
  );
  await file("repo/GEMINI.md", "@docs/more.md");
  expect(await docs(["GEMINI.md"])).toContain("# docs/more.md\n\nNo tabs.\n\n# GEMINI.md");
  expect(warnings).toEqual([]);
});

it("EX-12 a family's file that stands in for a missing one imports as well", async () => {
  await file("repo/CLAUDE.md", "@a.md");
  await file("repo/a.md", "Imported.");
  expect(await docs([])).toBe("# a.md\n\nImported.\n\n# CLAUDE.md\n\n@a.md");
});

it("EX-12 nothing is imported from outside the repository, by a path, by ~ or by a link, and no file that may hold keys", async () => {
  await file(".ssh/id_rsa", "SECRET 1");
  await file("x", "SECRET 2");
  await file("repo/.env", "SECRET 3");
  await file("repo/.git/config", "SECRET 4");
  await symlink(join(dir, "x"), join(dir, "repo/notes.md"));
  await symlink(dir, join(dir, "repo/up"));
  await file("repo/inner/a.md", "@../../x");
  await file(
    "repo/CLAUDE.md",
    `@~/.ssh/id_rsa @../x @${dir}/x @notes.md @up/x @up/.ssh/id_rsa @inner/a.md @.env @.git/config\nbut @/components/x is an alias`,
  );
  expect(await docs()).not.toContain("SECRET");
  expect(warnings).toEqual([
    "CLAUDE.md: it imports files outside the places that it may import from; left out: ~/.ssh/id_rsa, ../x, " +
      `${dir}/x and 4 more`,
    "CLAUDE.md: it imports files that may hold keys; left out: .env, .git/config",
  ]);
});

it("EX-12 a circle of imports ends, and depth, number and size are bounded", async () => {
  await file("repo/a.md", "A @b.md");
  await file("repo/b.md", "B @a.md @CLAUDE.md");
  await file("repo/CLAUDE.md", "@a.md");
  expect(await docs()).toBe("# b.md\n\nB @a.md @CLAUDE.md\n\n# a.md\n\nA @b.md\n\n# CLAUDE.md\n\n@a.md");

  for (let i = 1; i <= 8; i++) await file(`repo/deep/${i}.md`, `level ${i} @${i + 1}.md`);
  await file("repo/CLAUDE.md", "@deep/1.md");
  expect((await docs()).match(/level \d/g)).toEqual(["level 5", "level 4", "level 3", "level 2", "level 1"]);

  for (let i = 0; i < 1000; i++) await file(`repo/many/${i}.md`, `one of many ${i}`);
  await file("repo/CLAUDE.md", Array.from({ length: 1000 }, (_, i) => `@many/${i}.md`).join("\n"));
  expect((await docs()).match(/one of many/g)).toHaveLength(100);

  await file("repo/large.md", "x".repeat(40_000));
  await file("repo/CLAUDE.md", "@large.md @a.md");
  expect(await docs()).not.toContain("xxx");
  expect(warnings).toEqual([
    "CLAUDE.md: it imports files nested deeper than 5 imports; left out: 6.md",
    "CLAUDE.md: it imports more than 100 files; left out: many/100.md, many/101.md, many/102.md and 897 more",
    "CLAUDE.md: it imports more than 32 KB in total; left out: large.md",
  ]);
});

it("EX-12 an @ inside code is no import", async () => {
  await file("repo/a.md", "Imported.");
  await file("repo/CLAUDE.md", "Write `@a.md` so:\n\n```\n@a.md\n```\n\nmail me@a.md");
  expect(await docs()).not.toContain("Imported.");
});
