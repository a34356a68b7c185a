// Repositories and settings that came with a folder: whatever git or npm would run there needs a question. A file
// created by the planted program proves that git really runs it, so that every case tests something.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallPaths } from "../../../contract/paths/call-paths.ts";
import { judge } from "../../../policy/permissions/judge.ts";
import { LocalEnvironment } from "../../../world/env/local.ts";
import { commandAccess } from "./access.ts";
import { GITLINK, pathsIn } from "./git-index.ts";
import { programSetting } from "./git-settings.ts";

let folder: string;
let project: string;
let canary: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-repositories-")));
  project = join(folder, "project");
  canary = join(folder, "canary");
  makeRepository(project);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const variables = () => ({ ...process.env, HOME: folder, GIT_CONFIG_NOSYSTEM: "1", CI: "1" });

function git(cwd: string, ...args: string[]): void {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
  execFileSync("git", [...who, ...args], { cwd, stdio: "ignore", env: variables() });
}

function makeRepository(path: string): void {
  mkdirSync(path, { recursive: true });
  git(path, "init", "-q");
  writeFileSync(join(path, "a.txt"), "a\n");
  git(path, "add", "a.txt");
  git(path, "commit", "-qm", "one");
}

/** A setting that starts a program. */
const planted = () => `[core]\n\tfsmonitor = "touch ${canary}; false"\n`;

function write(path: string, text: string): void {
  writeFileSync(join(project, path), text, { flag: "a" });
}

async function decide(command: string, isTrusted = false, cwd = project): Promise<string> {
  const env = new LocalEnvironment({ cwd, baseEnv: { HOME: folder, CI: "1" } });
  const paths = new CallPaths(env, new AbortController().signal);
  const access = await commandAccess(command, cwd, { env, paths, services: { isFolderTrusted: () => isTrusted } });
  const places = { roots: [cwd], userHome: folder, latheHome: join(folder, ".lathe") };
  return judge({ tier: "exec", access }, { mode: "auto-edit", rules: [], places }).decision;
}

/** The user is asked until the folder is trusted, and rightly so: the command starts the planted program. */
async function expectQuestion(run: string, cwd = project, command = run): Promise<void> {
  rmSync(canary, { force: true, recursive: true });
  expect(await decide(command, false, cwd)).toBe("ask");
  expect(await decide(command, true, cwd)).toBe("allow");
  spawnSync("sh", ["-c", run], { cwd, env: variables(), stdio: "ignore", timeout: 20_000 });
  expect(existsSync(canary)).toBe(true);
}

describe("settings that git reads otherwise than they look", () => {
  const hidden: Readonly<Record<string, (program: string) => string>> = {
    "behind a comment with a backslash at its end": (run) =>
      `[core]\n autocrlf = false ; keep \\\n fsmonitor = ${run}\n`,
    "behind a line that is only a comment": (run) => `[core]\n# keep \\\nfsmonitor = ${run}\n`,
    "behind an escaped backslash": (run) => `[user]\n name = a\\\\\n[core]fsmonitor = ${run}\n`,
    "behind two sections on a line": (run) => `[user][core]fsmonitor = ${run}\n`,
    "behind a lone carriage return": (run) => `[user]\r[core]\rfsmonitor = ${run}\n`,
    "in a file that begins with a mark": (run) => `\uFEFF[core]fsmonitor = ${run}\n`,
  };

  it.each(Object.keys(hidden))("%s", async (name) => {
    const text = hidden[name]?.(`"touch ${canary}; false"`) ?? "";
    if (text.startsWith("\uFEFF")) writeFileSync(join(project, ".git/config"), text);
    else write(".git/config", text);
    await expectQuestion("git status");
  });

  it("those that start gpg, or a connection for what is missing, are not harmless", () => {
    for (const text of [
      "[log]\nshowSignature = true",
      "[format]\npretty = %G?",
      '[format]\npretty = "format:%""G?"',
      "[tag]\nsort = signature:grade",
      '[remote "origin"]\npromisor = true',
      '[remote "origin"]\npartialclonefilter = blob:none',
      "[extensions]\npartialClone = origin",
      "[core]\nfsmonitor",
      "[core]\nfsmonitor = true",
      "[alias]\nwhatchanged = grep -Osh",
      '[alias]\nx = ""!run',
      "[diff]\nsubmodule = diff",
      "[submodule]\nrecurse = true",
      "[index]\nthreads = 4",
      "[core]\nworktree = ../elsewhere",
      "[core]\nautocrlf = \0",
    ])
      expect({ text, found: programSetting(text) !== undefined }).toEqual({ text, found: true });
    for (const text of [
      "[core]\r\n\tautocrlf = input # comment\r\n\tfsmonitor = false\r\n",
      '[core] filemode = true\n[remote.origin] url = x\n[user] name = "Jörg \\"J\\" ; x" ; y',
      "[format]\npretty = fuller\n[tag]\nsort = -version:refname",
    ])
      expect(programSetting(text)).toBeUndefined();
  });

  it("a missing object of a partial clone is not fetched unasked", async () => {
    git(project, "config", "remote.o.promisor", "true");
    git(project, "config", "remote.o.url", "ssh://host.invalid/x");
    for (const name of readdirSync(join(project, ".git/objects")))
      if (name.length === 2) rmSync(join(project, ".git/objects", name), { recursive: true });
    await expectQuestion(`GIT_SSH_COMMAND="touch ${canary};" git show HEAD`, project, "git show HEAD");
  });

  it.each(["log.showSignature=true", "format.pretty=%G?"])("gpg is not started unasked by %s", async (setting) => {
    const [key = "", value = ""] = setting.split("=");
    git(project, "config", key, value);
    writeFileSync(join(folder, ".gitconfig"), `[gpg]\n\tprogram = ${join(folder, "gpg")}\n`);
    writeFileSync(join(folder, "gpg"), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    const signed =
      "tree $(git rev-parse HEAD^{tree})\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n\nm\n";
    execFileSync("sh", ["-c", `git update-ref HEAD $(printf "${signed}" | git hash-object -t commit -w --stdin)`], {
      cwd: project,
      env: variables(),
    });
    await expectQuestion("git log -1");
  });
});

describe("repositories inside the repository", () => {
  it("one in the work tree, with a folder of its own", async () => {
    makeRepository(join(project, "sub"));
    git(project, "add", "sub");
    expect(await decide("git status")).toBe("allow");
    write("sub/.git/config", planted());
    await expectQuestion("git status");
    await expectQuestion("git diff");
  });

  it("one whose files lie elsewhere, behind a file or a link", async () => {
    makeRepository(join(project, "sub"));
    git(project, "add", "sub");
    renameSync(join(project, "sub/.git"), join(project, "store"));
    write("store/config", planted());
    write("sub/.git", "gitdir: ../store\n");
    await expectQuestion("git status");
    rmSync(join(project, "sub/.git"));
    symlinkSync("../store", join(project, "sub/.git"));
    await expectQuestion("git status");
  });

  it("submodules as git makes them, nested ones too, need no question until they set something", async () => {
    makeRepository(join(folder, "inner"));
    makeRepository(join(folder, "outer"));
    git(join(folder, "outer"), "submodule", "add", "-q", join(folder, "inner"), "deep/inner");
    git(join(folder, "outer"), "commit", "-qm", "two");
    git(project, "submodule", "add", "-q", join(folder, "outer"), "libs/outer");
    git(project, "submodule", "update", "-q", "--init", "--recursive");
    expect(existsSync(join(project, ".git/modules/libs/outer/modules/deep/inner/config"))).toBe(true);
    expect(await decide("git status")).toBe("allow");
    expect(await decide("git log -p --submodule")).toBe("ask");
    write(".git/modules/libs/outer/modules/deep/inner/config", planted());
    await expectQuestion("git status");
    rmSync(join(project, "libs/outer/.git"));
    expect(await decide("git status")).toBe("ask");
  });

  it("a file .git whose text is more than a line", async () => {
    const elsewhere = join(folder, "clean\nevil");
    renameSync(join(project, ".git"), elsewhere);
    cpSync(elsewhere, join(folder, "clean"), { recursive: true });
    writeFileSync(join(elsewhere, "config"), planted());
    write(".git", `gitdir: ${join(folder, "clean")}\nevil`);
    await expectQuestion("git status");
  });

  it("a folder that is laid out as a repository, also beside a .git that is none", async () => {
    const bare = join(project, "data");
    cpSync(join(project, ".git"), bare, { recursive: true });
    writeFileSync(
      join(bare, "config"),
      `${planted()}\tworktree = ${bare}\n\tbare = false\n\trepositoryformatversion = 0\n`,
    );
    await expectQuestion("git status", bare);
    mkdirSync(join(bare, ".git"));
    await expectQuestion("git status", bare);
  });

  it("a part of the index in another file, or an index that is not understood", async () => {
    git(project, "update-index", "--split-index");
    expect(await decide("git status")).toBe("ask");
    git(project, "update-index", "--no-split-index");
    rmSync(join(project, ".git"), { recursive: true });
    makeRepository(project);
    expect(await decide("git status")).toBe("allow");
    writeFileSync(join(project, ".git/index"), "DIRC");
    expect(await decide("git status")).toBe("ask");
  });
});

describe("the index", () => {
  it("names the repositories in it, in each of its versions", () => {
    makeRepository(join(project, "libs/one"));
    makeRepository(join(project, `${"long".repeat(50)}/two`));
    for (let number = 0; number < 40; number++) write(`file-${number}`, "x");
    git(project, "add", "-A");
    git(project, "add", "-N", "--", "a.txt");
    for (const version of ["2", "4"]) {
      git(project, "update-index", "--index-version", version);
      const index = readIndex();
      expect(index.readUInt32BE(4)).toBe(Number(version));
      expect(pathsIn(index, GITLINK)).toEqual(["libs/one", `${"long".repeat(50)}/two`]);
    }
    git(project, "update-index", "--index-version", "2", "--skip-worktree", "a.txt");
    expect(readIndex().readUInt32BE(4)).toBe(3);
    expect(pathsIn(readIndex(), GITLINK)).toHaveLength(2);
    expect(pathsIn(readIndex().subarray(0, 300), GITLINK)).toBeUndefined();
  });

  it("a table for threads leads only to entries that were seen", () => {
    for (let number = 0; number < 40; number++) write(`file-${number}`, "x");
    git(project, "add", "-A");
    for (const version of ["2", "4"]) {
      git(project, "update-index", "--index-version", version);
      git(
        project,
        "-c",
        "index.threads=2",
        "-c",
        "index.recordOffsetTable=true",
        "update-index",
        "--force-write-index",
      );
      const index = Buffer.from(readIndex());
      const table = index.indexOf("IEOT");
      expect(table).toBeGreaterThan(0);
      expect(pathsIn(index, GITLINK)).toEqual([]);
      index.writeUInt32BE(index.readUInt32BE(table + 12) + 8, table + 12);
      expect(pathsIn(index, GITLINK)).toBeUndefined();
    }
  });

  const readIndex = () => execFileSync("cat", [join(project, ".git/index")]);
});

describe("hooks", () => {
  it("the one that git runs when it only looks is a question, the others are not", async () => {
    mkdirSync(join(project, ".git/hooks"), { recursive: true });
    write(".git/hooks/pre-commit", "#!/bin/sh\n");
    chmodSync(join(project, ".git/hooks/pre-commit"), 0o755);
    expect(await decide("git status")).toBe("allow");
    write(".git/hooks/post-index-change", `#!/bin/sh\ntouch ${canary}\n`);
    chmodSync(join(project, ".git/hooks/post-index-change"), 0o755);
    writeFileSync(join(project, "a.txt"), "a\n");
    await expectQuestion("git status");
  });
});

describe("npm and the settings of a project", () => {
  const commands = ["npm ls", "npm root", "npm prefix", "npm -v", "npm --version", "cd src && npm ls"];

  it("one that only says how packages are installed changes nothing", async () => {
    mkdirSync(join(project, "src"));
    writeFileSync(join(folder, ".npmrc"), "//registry.example/:_authToken=x\n");
    write(".npmrc", "# ours\nsave-exact=true\nfund = false\n\n");
    for (const command of commands) expect({ command, is: await decide(command) }).toEqual({ command, is: "allow" });
  });

  it.each(["logs-dir=/tmp", "registry=http://h/x", "cache=x", "[a]", "save=true\rlogs-dir=x", `"logs-dir"=x`])(
    "%j makes npm a question until the folder is trusted",
    async (line) => {
      mkdirSync(join(project, "src"));
      write(".npmrc", `${line}\n`);
      for (const command of commands) expect({ command, is: await decide(command) }).toEqual({ command, is: "ask" });
      for (const command of commands)
        expect({ command, is: await decide(command, true) }).toEqual({ command, is: "allow" });
      write("src/.npmrc", `${line}\n`);
      expect(await decide("cd src && npm ls", true)).toBe("ask");
    },
  );

  it("npm writes where a project tells it to", async () => {
    write(".npmrc", `logs-dir=${canary}\n`);
    await expectQuestion("npm root");
  });

  it("npm asks the network where nothing says that nobody is there", async () => {
    for (const command of ["env -u CI npm ls", "env -i npm ls", "env - npm ls", "CI= npm ls", "CI=false npm ls"])
      expect({ command, is: await decide(command) }).toEqual({ command, is: "ask" });
    for (const command of ["env -u LANG npm ls", "CI=1 npm ls", "env CI=true npm ls"])
      expect({ command, is: await decide(command) }).toEqual({ command, is: "allow" });
  });
});
