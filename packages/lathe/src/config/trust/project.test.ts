import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type HomePaths, homePaths } from "../../platform/home/paths.ts";
import { projectOf } from "./project.ts";
import { trustFolder } from "./trust.ts";

let repo: string;
let below: string;
let home: string;
let paths: HomePaths;
beforeEach(async () => {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-project-")));
  repo = join(dir, "repo");
  below = join(repo, "packages", "one");
  home = join(dir, "home");
  paths = homePaths({}, home);
  await mkdir(below, { recursive: true });
  await mkdir(join(repo, ".lathe"));
  await writeFile(join(repo, ".lathe", "config.yml"), "");
  await writeFile(join(repo, ".env"), "");
});

const trust = (folder: string): Promise<unknown> => trustFolder(paths.trust, folder, new Date(0));

describe("what a project brings", () => {
  it("without trust it is named in one line and does not count", async () => {
    expect(projectOf(repo, paths, home)).toEqual({
      files: {},
      ignored: "This folder is not trusted; ignored: .lathe/config.yml, .env. To let them take effect: lathe trust",
    });
    await trust(repo);
    expect(projectOf(repo, paths, home)).toEqual({
      files: {
        settings: join(repo, ".lathe/settings.json"),
        config: join(repo, ".lathe/config.yml"),
        models: join(repo, ".lathe/models.yml"),
        env: join(repo, ".env"),
      },
    });
  });

  it("CF-01 settings of the repository count in the folders below, an .env only where it is", async () => {
    await mkdir(join(repo, ".git"));
    expect(projectOf(below, paths, home).ignored).toBe(
      "This folder is not trusted; ignored: ../../.lathe/config.yml. To let it take effect: lathe trust ../..",
    );
    await trust(repo);
    expect(projectOf(below, paths, home).files).toMatchObject({
      config: join(repo, ".lathe/config.yml"),
      env: join(below, ".env"),
    });
    await mkdir(join(repo, "packages/.lathe"));
    expect(projectOf(below, paths, home).files.config).toBe(join(repo, "packages/.lathe/config.yml"));
  });

  it("trust in a folder below does not let the one above it count", async () => {
    await mkdir(join(repo, ".git"));
    await trust(below);
    const { files, ignored } = projectOf(below, paths, home);
    expect(files).toEqual({ env: join(below, ".env") });
    expect(ignored).toContain("ignored: ../../.lathe/config.yml");
  });

  it("outside of a repository nothing above is looked at", async () => {
    expect(projectOf(below, paths, home)).toEqual({ files: {} });
  });

  it("in the user's home the same files are the user's own, also behind a link", async () => {
    expect(projectOf(repo, homePaths({}, repo), repo)).toEqual({ files: {} });
    await symlink(repo, home);
    expect(projectOf(repo, paths, home)).toEqual({ files: {} });
  });
});

describe("settings of a trusted folder that have changed", () => {
  it("are ignored until the folder is trusted again: somebody else may have changed them", async () => {
    await trust(repo);
    await writeFile(join(repo, ".lathe", "config.yml"), "permissionMode: full\n");
    const { files, ignored } = projectOf(repo, paths, home);
    expect(Object.keys(files)).toEqual(["settings", "models", "env"]);
    expect(ignored).toBe(
      "New or changed since this folder was trusted, and ignored: .lathe/config.yml. Look at it, then run: lathe trust",
    );
    await trust(repo);
    expect(projectOf(repo, paths, home).files.config).toBe(join(repo, ".lathe/config.yml"));
  });

  it("an .env that is changed or added is ignored as well: it can send keys elsewhere", async () => {
    const line = "New or changed since this folder was trusted, and ignored: .env. Look at it, then run: lathe trust";
    await trust(repo);
    await writeFile(join(repo, ".env"), "ANTHROPIC_BASE_URL=http://localhost:1\n");
    const { files, ignored } = projectOf(repo, paths, home);
    expect([Object.keys(files), ignored]).toEqual([["settings", "config", "models"], line]);
    await trust(repo);
    expect(projectOf(repo, paths, home).files.env).toBe(join(repo, ".env"));
    // It belongs to a nested repository: trust in the folder above says nothing about its .env.
    await mkdir(join(below, ".git"));
    await writeFile(join(below, ".env"), "A=1\n");
    expect(projectOf(below, paths, home)).toMatchObject({ ignored: line });
    expect(projectOf(below, paths, home).files.env).toBeUndefined();
  });

  it("a directory called .env is not in the way", async () => {
    await trust(below);
    await mkdir(join(below, ".env"));
    await trust(below);
    expect(projectOf(below, paths, home).ignored).toBeUndefined();
  });

  it("names one command for each folder that holds something", async () => {
    await mkdir(join(repo, ".git"));
    await writeFile(join(below, ".env"), "A=1\n");
    expect(projectOf(below, paths, home).ignored).toBe(
      "This folder is not trusted; ignored: ../../.lathe/config.yml, .env. To let them take effect: lathe trust ../.. && lathe trust",
    );
  });

  it("one that came later, in a folder below, was never looked at", async () => {
    await mkdir(join(repo, ".git"));
    await trust(repo);
    await mkdir(join(below, ".lathe"));
    await writeFile(join(below, ".lathe", "config.yml"), "permissionMode: ask\n");
    expect(projectOf(below, paths, home).files.config).toBeUndefined();
  });
});
