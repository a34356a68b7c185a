// What a malicious folder may contain in place of ordinary files, and more open files than the system allows.

import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { currentBranch, repositoryRoot } from "../../context/git-files.ts";
import { Gate } from "./gate.ts";
import { LocalEnvironment } from "./local.ts";
import { realPathOf } from "./real-path.ts";

let root: string;
let env: LocalEnvironment;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-hostile-")));
  env = new LocalEnvironment({ cwd: root, baseEnv: { PATH: process.env["PATH"] } });
});
afterEach(async () => {
  await env.cleanup();
  rmSync(root, { recursive: true, force: true });
});

it("D3 a thousand reads, writes and listings at once work where 150 files may be open", async () => {
  const script = join(import.meta.dirname, "../../../test/many-reads.ts");
  const node = [process.execPath, "--conditions=lathe-source", "--import", "tsx", script];
  const run = promisify(execFile)("bash", ["-c", 'ulimit -n 150; exec "$@"', "sh", ...node]);
  expect((await run).stdout).toBe("1000 1000 1000\n");
});

it("D3 a gate keeps its number, also when work fails, and lets those who wait in one by one", async () => {
  const gate = new Gate(3);
  let [now, most] = [0, 0];
  const ends = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) =>
      gate.run(async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        if (n % 4 === 0) throw new Error("failed");
        return n;
      }),
    ),
  );
  expect(most).toBe(3);
  expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(5);
  expect(await gate.run(async () => "after")).toBe("after");
});

it("D3 a device is neither read without end nor replaced by a file", async () => {
  symlinkSync("/dev/zero", join(root, "zero"));
  for (const path of ["zero", "/dev/null"]) {
    await expect(env.readBytes(path)).rejects.toMatchObject({ code: "not_file" });
    await expect(env.writeFile(path, "x")).rejects.toMatchObject({ code: "not_file" });
  }
  expect((await env.stat("/dev/null"))?.kind).toBe("other");
});

it("D3 links in a circle are links that lead nowhere; reading and writing through one is refused with the reason", async () => {
  symlinkSync("a", join(root, "b"));
  symlinkSync("b", join(root, "a"));
  symlinkSync("self", join(root, "self"));
  for (const name of ["a", "b", "self"]) {
    expect(await env.stat(name)).toMatchObject({ kind: "dangling", isSymlink: true });
    expect(await env.fileExists(name)).toBe(false);
    const refusal = { code: "not_found", message: expect.stringContaining("points back to itself") };
    await expect(env.readFile(name)).rejects.toMatchObject(refusal);
    await expect(env.writeFile(name, "x")).rejects.toMatchObject(refusal);
    await expect(realPathOf(env, join(root, name))).rejects.toMatchObject(refusal);
  }
  await env.deleteFile("self");
  expect((await env.listDirectory(".", 2)).map(({ name }) => name)).toEqual(["a", "b"]);
});

it("a NUL character in a path is named, not shown as an error of the runtime", async () => {
  const refusal = { code: "io", message: expect.stringContaining("The path contains a NUL character: ") };
  for (const work of [env.stat("a\0b"), env.readFile("a\0b"), env.writeFile("a\0b", "x"), env.listDirectory("a\0b", 1)])
    await expect(work).rejects.toMatchObject(refusal);
  await expect(env.stat("a\0b")).rejects.toThrow("a\\0b");
});

describe("D3 in the place of .git", () => {
  const branch = async () => currentBranch(env, (await repositoryRoot(env, root)) ?? root);

  it("a circle, a pipe, an over-long file and one without an end give no branch, and no wait", async () => {
    const git = join(root, ".git");
    const cases = [
      () => symlinkSync(".git", git),
      () => execFileSync("mkfifo", [git]),
      () => writeFileSync(git, `gitdir: ${"x".repeat(100_000)}`),
      () => writeFileSync(git, `gitdir: ${"x".repeat(4000)}`),
      () => symlinkSync("/dev/zero", git),
    ];
    for (const make of cases) {
      rmSync(git, { force: true });
      make();
      expect(await branch().catch((error: { code: string }) => error.code)).toBeUndefined();
    }
  });
});

describe("D3 a pipe in the place of an ignore file", () => {
  beforeEach(() => {
    mkdirSync(join(root, "deep/er"), { recursive: true });
    writeFileSync(join(root, "deep/er/a.txt"), "needle");
    writeFileSync(join(root, "deep/ignored.txt"), "needle");
    writeFileSync(join(root, "deep/.ignore"), "ignored.txt\n");
  });

  it.each([
    [".gitignore", "."],
    [".gitignore", "deep"],
    ["deep/er/.gitignore", "."],
    ["deep/.rgignore", "."],
  ])("%s does not stop the built-in search of %s, and the others count", async (pipe, where) => {
    execFileSync("mkfifo", [join(root, pipe)]);
    const own = new LocalEnvironment({ cwd: root, baseEnv: {}, search: "builtin" });
    expect((await own.grep("needle", where, {})).lines).toEqual(["deep/er/a.txt:1:needle"]);
    expect((await own.glob("**/*.txt", where)).paths).toEqual(["deep/er/a.txt"]);
  });

  it("in the home of the built-in engine is passed over, as is git's own settings file", async () => {
    execFileSync("mkfifo", [join(root, ".gitconfig"), join(root, ".gitignore")]);
    const own = new LocalEnvironment({ cwd: join(root, "deep"), baseEnv: { HOME: root }, search: "builtin" });
    expect((await own.grep("needle", ".", {})).lines).toEqual(["er/a.txt:1:needle"]);
  });
});
