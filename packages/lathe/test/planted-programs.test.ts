// A repository whose own configuration names programs: no command of Lathe that looks at it runs one, unless the user
// trusts the folder.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conversation } from "./conversation-kit.ts";
import { rolesScript } from "./review-kit.ts";
import { type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
let traps: string;
beforeEach(async () => {
  rig = await setup({ script: rolesScript({}) });
  traps = join(rig.box.home, "traps");
  mkdirSync(traps);
  plant();
});
afterEach(() => rig.remove());

const trap = (name: string): string => `touch '${join(traps, name)}'`;
const sprung = (): string[] => readdirSync(traps).sort();
const inFolder = (cwd: string, ...args: string[]): void =>
  void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: rig.box.home },
    stdio: "ignore",
  });
const git = (...args: string[]): void => inFolder(rig.box.dir, ...args);

/** Everything that git could start when it looks at a repository with changed files. */
function plant(): void {
  const { dir } = rig.box;
  git("init", "-q", "-b", "main", "--template=");
  const sub = join(dir, "sub");
  mkdirSync(sub);
  inFolder(sub, "init", "-q", "-b", "main", "--template=");
  const commit = (folder: string, text: string): void => {
    writeFileSync(join(folder, "a.txt"), `${text}\n`);
    writeFileSync(join(folder, "b.bin"), `${text}\n`);
    writeFileSync(join(folder, ".gitattributes"), "*.txt filter=one diff=evil\n*.bin filter=two diff=cmd\n");
    inFolder(folder, "add", "-A");
    inFolder(folder, "commit", "-qm", text);
  };
  commit(sub, "one");
  commit(dir, "one");
  commit(dir, "two");
  // The same length, so that git must read the files to compare them.
  for (const folder of [dir, sub]) for (const name of ["a.txt", "b.bin"]) writeFileSync(join(folder, name), "six\n");
  for (const [folder, where] of [
    [dir, ""],
    [sub, "sub-"],
  ] as const) {
    const set = (key: string, name: string, then = "cat"): void =>
      inFolder(folder, "config", key, `${trap(where + name)}; ${then}`);
    set("core.fsmonitor", "fsmonitor", "false");
    set("filter.one.clean", "clean");
    set("filter.one.smudge", "smudge");
    set("filter.two.process", "process", "false");
    set("diff.evil.textconv", "textconv", 'cat "$1"; true');
    set("diff.cmd.command", "command", "true");
    set("core.pager", "pager");
    set("pager.diff", "pager-diff");
    set("core.sshCommand", "ssh", "false");
    set("core.gitProxy", "proxy", "false");
    set("core.askPass", "askpass", "false");
    set("credential.helper", "credential", "false");
    set("core.editor", "editor", "true");
    set("gpg.program", "gpg", "false");
    inFolder(folder, "config", "log.showSignature", "true");
    inFolder(folder, "config", "diff.submodule", "diff");
    mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    for (const hook of ["post-index-change", "reference-transaction", "post-checkout"])
      writeFileSync(join(folder, ".git/hooks", hook), `#!/bin/sh\n${trap(where + hook)}\n`, { mode: 0o755 });
  }
}

/** What plain git runs here, so that the traps are real. */
function springAll(): string[] {
  // Git gives up when the filter process fails.
  const rest = ["-c", "filter.two.process=", "diff"];
  for (const args of [["diff"], rest, [...rest, "--no-ext-diff"], ["status"]])
    try {
      git(...args);
    } catch {
      // only what it starts matters
    }
  const found = sprung();
  for (const name of found) rmSync(join(traps, name));
  return found;
}

const run = (...args: string[]) => rig.box.run([...args], { env: rig.env });
const MODEL = ["--model", "openai/gpt-5.2"];

const LOOKS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["get_diff of a client", async () => (await rig.start()).data("get_diff")],
  ["lathe review", () => run("review", ...MODEL)],
  ["lathe review of a range", () => run("review", ...MODEL, "HEAD~1..HEAD")],
  ["lathe review of a commit that is not on disk", () => run("review", ...MODEL, "HEAD^!")],
  ["lathe commit --dry-run", () => run("commit", "--dry-run", ...MODEL)],
  ["a session's start", () => run(...MODEL, "go")],
  ["--worktree", () => run(...MODEL, "--worktree", "go")],
];

describe("a repository that names programs", () => {
  it.each(LOOKS)("%s runs none of them", async (_name, look) => {
    await look();
    expect(sprung()).toEqual([]);
    expect(springAll()).toEqual(
      expect.arrayContaining(["clean", "command", "fsmonitor", "process", "sub-clean", "sub-fsmonitor", "textconv"]),
    );
  });

  it("says which filters did not run, and shows the change", async () => {
    const host = await rig.start();
    const { diff, note } = await host.data<{ diff: string; note: string }>("get_diff");
    expect(diff).toContain("-two\n+six");
    expect(note).toMatch(/not trusted, so git did not run the filters that it configures: one, two\..*lathe trust$/);
    expect((await run("review", ...MODEL)).stderr).toContain(
      "git did not run the filters that it configures: one, two.",
    );
  });

  it("/diff shows the change and says the same", async () => {
    const talk = await conversation({}, { cwd: "project", files: { "project/a.txt": "one\n" } });
    const dir = join(talk.root, "project");
    inFolder(dir, "init", "-q", "--template=");
    inFolder(dir, "add", "-A");
    inFolder(dir, "commit", "-qm", "one");
    inFolder(dir, "config", "filter.one.clean", `${trap("clean")}; cat`);
    inFolder(dir, "config", "core.fsmonitor", `${trap("fsmonitor")}; false`);
    writeFileSync(join(dir, ".gitattributes"), "*.txt filter=one\n");
    writeFileSync(join(dir, "a.txt"), "six\n");
    await talk.say("/diff");
    expect(talk.lines.join("\n")).toMatch(/filters that it configures: one\.[\s\S]*\+six/);
    expect(sprung()).toEqual([]);
    await talk.talk.close();
    await talk.server.close();
  });

  it("the user's own filter runs in place of the one with its name, and is not mentioned if it is the same", async () => {
    const own = `${trap("own")}; cat`;
    const { dir, home } = rig.box;
    execFileSync("git", ["config", "--file", join(home, ".gitconfig"), "filter.one.clean", own]);
    const { note } = await (await rig.start()).data<{ note: string }>("get_diff");
    expect(sprung()).toEqual(["own"]);
    expect(note).toContain("one, two.");
    rmSync(join(traps, "own"));
    inFolder(dir, "config", "filter.one.clean", own);
    inFolder(dir, "config", "--unset", "filter.two.process");
    expect(await (await rig.start()).data("get_diff")).not.toHaveProperty("note");
    expect(sprung()).toEqual(["own"]);
  });

  it.each([
    ["a further file of settings", "include.path", "../more"],
    ["the settings of a worktree", "extensions.worktreeConfig", "true"],
  ])("a filter of %s does not run either", async (_name, key, value) => {
    const { dir } = rig.box;
    const text = `[filter "one"]\n\tclean = "${trap("further")}; cat"\n[filter ""]\n\tclean = "${trap("empty")}; cat"\n`;
    writeFileSync(join(dir, "more"), text);
    writeFileSync(join(dir, ".git/config.worktree"), text);
    writeFileSync(join(dir, ".gitattributes"), "*.txt filter=one\n*.bin filter=\n");
    git("config", key, value);
    await (await rig.start()).data("get_diff");
    await run("review", ...MODEL);
    expect(sprung()).toEqual([]);
    expect(springAll()).toContain("further");
  });

  it("a filter whose name git cannot be told is refused instead of run", async () => {
    git("config", "filter.a=b.clean", `${trap("odd")}; cat`);
    writeFileSync(join(rig.box.dir, ".gitattributes"), "*.txt filter=a=b\n");
    const refusal = "git's filter a=b cannot be turned off. To run it: lathe trust";
    expect(await (await rig.start()).ask("get_diff")).toMatchObject({ error: expect.stringContaining(refusal) });
    expect(await run("review", ...MODEL)).toMatchObject({ code: 2, stderr: expect.stringContaining(refusal) });
    expect(sprung()).toEqual([]);
    expect(springAll()).toContain("odd");
  });

  it("a partial clone fetches nothing to be compared, and a review that cannot compare does not pass", async () => {
    const { dir } = rig.box;
    const blob = execFileSync("git", ["rev-parse", "HEAD:a.txt"], { cwd: dir }).toString().trim();
    rmSync(join(dir, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    git("config", "core.repositoryFormatVersion", "1");
    git("config", "extensions.partialClone", "origin");
    git("config", "remote.origin.url", dir);
    git("config", "remote.origin.uploadpack", `${trap("uploadpack")}; git-upload-pack`);
    git("config", "protocol.file.allow", "always");
    expect(await (await rig.start()).ask("get_diff")).toHaveProperty("error");
    const { code, stderr } = await run("review", ...MODEL);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("nothing was reviewed") });
    expect(sprung()).toEqual([]);
    expect(springAll()).toContain("uploadpack");
  });

  it("in a trusted folder, filters run", async () => {
    inFolder(join(rig.box.dir, "sub"), "config", "--unset", "filter.two.process");
    git("config", "--unset", "filter.two.process");
    git("config", "filter.two.clean", `${trap("process")}; cat`);
    await run("trust");
    const { diff } = await (await rig.start()).data<{ diff: string }>("get_diff");
    expect(diff).toContain("+six");
    expect(sprung()).toEqual(expect.arrayContaining(["clean", "process"]));
    for (const name of sprung()) rmSync(join(traps, name));
    const { stderr } = await run("review", ...MODEL);
    expect(stderr).not.toContain("filters");
    // Nothing else, because the review must see what is in the files.
    expect(sprung()).toEqual(["clean", "process"]);
  });
});
