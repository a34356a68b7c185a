import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaultDeps } from "@lathe/llm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { LocalEnvironment } from "../world/env/local.ts";
import { findMarked, ownerMark } from "../world/process/marks.ts";
import { askGit, environmentBlock, collectFacts as factsOf, type HostFacts } from "./environment.ts";
import { repositoryRoot } from "./git-files.ts";
import { projectDocs as docsOf, TRUNCATED_MARKER } from "./project-docs.ts";
import { systemPrompt } from "./system-prompt.ts";

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-context-")));
});

const at = (cwd: string): LocalEnvironment =>
  new LocalEnvironment({ cwd, baseEnv: { PATH: process.env["PATH"], HOME: dir } });
const rootOf = (env: LocalEnvironment) => repositoryRoot(env, env.workingDirectory());
const collectFacts = async (env: LocalEnvironment, known: HostFacts) =>
  factsOf(env, known, await askGit(env, known.gitPatience));
const projectDocs = async (env: LocalEnvironment, files: readonly string[]) =>
  (await docsOf(env, files, await rootOf(env))).text;
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: dir, encoding: "utf8" });
const file = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
};

describe("the environment block", () => {
  it("SY-02 D-040 tells directory, git, platform, date and model of a real repository", async () => {
    git("init", "-q", "-b", "main");
    await file("a", "1");
    await file("b", "1");
    git("add", ".");
    for (let i = 1; i <= 12; i++) git("commit", "-q", "--allow-empty", "-m", `commit ${i}`);
    await file("a", "2");
    await file("b", "2");
    await file("new", "x");
    const env = at(dir);
    const facts = await collectFacts(env, { now: Date.UTC(2026, 0, 2), model: "Model X", knowledgeCutoff: "2025-06" });
    expect(environmentBlock({ ...facts, osVersion: "Linux 6" })).toBe(`<environment>
Working directory: ${dir}
Is git repository: true
Git branch: main
Platform: ${env.platform()}
OS version: Linux 6
Today's date: 2026-01-02
Model: Model X
Knowledge cutoff: 2025-06
Modified files: 2
Untracked files: 1
Recent commits:
${Array.from({ length: 10 }, (_, i) => `  commit ${12 - i}`).join("\n")}
</environment>`);
  });

  it("SY-02 names the branch with an upstream, with dots and slashes, and none when the head is detached", async () => {
    git("init", "-q", "-b", "fix/v1.2-it's");
    git("commit", "-q", "--allow-empty", "-m", "one");
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    git("config", "remote.origin.url", dir);
    git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
    git("branch", "--set-upstream-to=origin/main");
    git("commit", "-q", "--allow-empty", "-m", "two");
    expect(await collectFacts(at(dir), { now: 0 })).toMatchObject({
      gitBranch: "fix/v1.2-it's",
      git: { modified: 0, untracked: 0, recentCommits: ["two", "one"] },
    });
    git("checkout", "-q", "--detach");
    expect((await collectFacts(at(dir), { now: 0 })).gitBranch).toBe("(detached)");
  });

  it("SY-02 leaves out what has no value: no repository, no commits, a git that takes too long", async () => {
    const plain = environmentBlock(await collectFacts(at(dir), { now: 0 }));
    expect(plain).toContain("Is git repository: false");
    expect(plain).not.toMatch(/Git branch|Model|Recent commits/);
    git("init", "-q", "-b", "trunk");
    expect(environmentBlock(await collectFacts(at(dir), { now: 0 }))).toContain("Git branch: trunk");
    await file("bin/git", "#!/bin/sh\nsleep 60\n");
    execFileSync("chmod", ["+x", join(dir, "bin/git")]);
    const slow = new LocalEnvironment({ cwd: dir, baseEnv: { PATH: `${dir}/bin:${process.env["PATH"]}` } });
    const facts = await collectFacts(slow, { now: 0, gitPatience: { timeoutMs: 100 } });
    expect(facts).toMatchObject({ isGitRepository: true, gitBranch: "trunk" });
    expect(facts.git).toBeUndefined();
  });

  it("SY-02 a git that is busy is not waited for, nor ended before the answer", async () => {
    git("init", "-q", "-b", "trunk");
    await file("bin/git", `#!/bin/sh\nuntil [ -e '${dir}/go' ]; do sleep 0.01; done\ntouch '${dir}/went-on'\n`);
    execFileSync("chmod", ["+x", join(dir, "bin/git")]);
    const env = new LocalEnvironment({ cwd: dir, baseEnv: { PATH: `${dir}/bin:${process.env["PATH"]}` } });
    const wait = { ms: 1, deps: defaultDeps() };
    const { answer } = await askGit(env, { timeoutMs: 60_000, wait });
    expect(await answer).toEqual({ branch: "trunk" });
    await file("go", "");
    await vi.waitFor(() => expect(existsSync(join(dir, "went-on"))).toBe(true), { timeout: 60_000 });
    await env.cleanup();
  });

  it("SY-02 what git said while the start was busy counts, also when the wait is over", async () => {
    git("init", "-q", "-b", "trunk");
    git("commit", "-q", "--allow-empty", "-m", "one");
    const owner = randomUUID();
    const env = new LocalEnvironment({ cwd: dir, owner, baseEnv: { PATH: process.env["PATH"], HOME: dir } });
    const { answer } = await askGit(env, { timeoutMs: 60_000, wait: { ms: 1, deps: defaultDeps() } });
    // On Linux this gives the event loop no turn: the timer and git's answer become due together.
    while ((await findMarked(ownerMark(owner))).length > 0);
    expect(await answer).toMatchObject({ branch: "trunk", snapshot: { recentCommits: ["one"] } });
    await env.cleanup();
  });

  it("SY-02 a commit may be called like the line between log and status", async () => {
    git("init", "-q", "-b", "main");
    for (const subject of ["one", "---", "## other"])
      git("commit", "-q", "--allow-empty", "-m", subject, "--cleanup=verbatim");
    await file("new", "x");
    expect(await collectFacts(at(dir), { now: 0 })).toMatchObject({
      gitBranch: "main",
      git: { modified: 0, untracked: 1, recentCommits: ["## other", "---", "one"] },
    });
  });
});

describe("project documents", () => {
  beforeEach(async () => {
    git("init", "-q");
    await file("AGENTS.md", "root rules");
    await file("CLAUDE.md", "claude root");
    await file("GEMINI.md", "gemini root");
    await file("pkg/.codex/instructions.md", "codex pkg");
    await file("pkg/sub/AGENTS.md", "sub rules");
    await file("pkg/other/AGENTS.md", "not on the way");
  });

  it.each([
    [
      "anthropic",
      ["CLAUDE.md"],
      "# AGENTS.md\n\nroot rules\n\n# CLAUDE.md\n\nclaude root\n\n# pkg/sub/AGENTS.md\n\nsub rules",
    ],
    [
      "gemini",
      ["GEMINI.md"],
      "# AGENTS.md\n\nroot rules\n\n# GEMINI.md\n\ngemini root\n\n# pkg/sub/AGENTS.md\n\nsub rules",
    ],
    [
      "openai",
      [".codex/instructions.md"],
      "# AGENTS.md\n\nroot rules\n\n# pkg/.codex/instructions.md\n\ncodex pkg\n\n# pkg/sub/AGENTS.md\n\nsub rules",
    ],
  ])(
    "SY-03 D-042 D-044 %s reads its own files from the root down, deeper ones later",
    async (_family, files, expected) => {
      expect(await projectDocs(at(join(dir, "pkg/sub")), files)).toBe(expected);
    },
  );

  it("SY-03 EX-12 a folder with neither is read in the words of another agent, and only in those of one", async () => {
    await file("AGENTS.md", "");
    expect(await projectDocs(at(dir), [".codex/instructions.md"])).toBe("# CLAUDE.md\n\nclaude root");
    expect(await projectDocs(at(dir), ["GEMINI.md"])).toBe("# GEMINI.md\n\ngemini root");
  });

  it("SY-03 over 32 KB the root's text is shortened, the leaf's stays whole", async () => {
    await file("AGENTS.md", "ü".repeat(20_000));
    await file("pkg/sub/AGENTS.md", `${"leaf ".repeat(200)}end`);
    const docs = await projectDocs(at(join(dir, "pkg/sub")), []);
    expect(docs.startsWith(TRUNCATED_MARKER)).toBe(true);
    expect(docs.endsWith("leaf end")).toBe(true);
    expect(Buffer.byteLength(docs)).toBeLessThanOrEqual(32_768 + TRUNCATED_MARKER.length + 2);
    expect(docs).not.toContain("\uFFFD");
  });

  it("SY-03 the same file reached twice counts once; without a repository only the directory itself is read", async () => {
    await symlink(join(dir, "AGENTS.md"), join(dir, "pkg", "AGENTS.md"));
    expect((await projectDocs(at(join(dir, "pkg")), [])).match(/root rules/g)).toHaveLength(1);
    const outside = await realpath(await mkdtemp(join(tmpdir(), "lathe-plain-")));
    await mkdir(join(outside, "in"));
    await writeFile(join(outside, "AGENTS.md"), "above");
    expect(await projectDocs(at(join(outside, "in")), [])).toBe("");
  });
});

it("SY-01 D-039 D-041 D-043 the layers come in order: base, tools, project, user last", () => {
  const text = systemPrompt({
    base: "You are base.\n",
    tools: [{ name: "grep", description: "Searches files. More words.", parameters: { type: "object" } }],
    projectDocs: "# AGENTS.md\n\nproject",
    userInstructions: "user",
  });
  expect(text).toBe(
    "You are base.\n\n## Available tools\n\n- `grep`: Searches files.\n\n## Project instructions\n\n# AGENTS.md\n\nproject\n\n## User instructions\n\nuser",
  );
});
