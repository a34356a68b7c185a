// `lathe update`: how this copy was installed decides what updates it. npm's registry is a local one, package managers
// are stubs on PATH, the checkout and its remote are real repositories.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { commandFor, update } from "../src/cli/commands/update.ts";
import { machineOf, Text } from "./machine.ts";

let root: string;
let env: Record<string, string>;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "up-")));
  mkdirSync(join(root, "bin"));
  env = { PATH: `${root}/bin:${process.env["PATH"]}`, HOME: root, LATHE_HOME: `${root}/.lathe` };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Exit code and what was said; a refusal is said as well. */
async function run(folder: string, ...argv: string[]): Promise<readonly [number, string]> {
  const [stdout, stderr] = [new Text(), new Text()];
  const machine = machineOf({ cwd: root, env }, Readable.from([]), stdout, stderr);
  const code = await update(argv, machine, folder).catch((error: Error & { exitCode: number }) => {
    stdout.write(error.message);
    return error.exitCode;
  });
  return [code, stdout.text];
}

function program(name: string, script: string): void {
  writeFileSync(join(root, "bin", name), `#!/bin/bash\n${script}\n`);
  chmodSync(join(root, "bin", name), 0o755);
}

/** It answers `npm view`, and writes down everything else. */
const npm = (newest: string): void =>
  program("npm", `if [ "$1" = view ]; then echo ${newest}; else echo "npm $*" >> "${root}/calls"; echo added; fi`);
const calls = (): string => readFileSync(join(root, "calls"), "utf8");

function names(name: string): void {
  mkdirSync(`${root}/.lathe`, { recursive: true });
  writeFileSync(`${root}/.lathe/config.yml`, `updates.package: "${name}"\n`);
}

it.each([
  ["/usr/lib/node_modules/@ours/lathe", "npm install -g --prefix /usr @ours/lathe"],
  [
    "/home/a b/.nvm/versions/node/v22/lib/node_modules/lathe",
    "npm install -g --prefix '/home/a b/.nvm/versions/node/v22' @ours/lathe",
  ],
  ["/home/a/.local/share/pnpm/global/5/.pnpm/lathe@1.0.0/node_modules/lathe", "pnpm add -g @ours/lathe"],
  ["/home/a/.bun/install/global/node_modules/lathe", "bun add -g @ours/lathe"],
  ["/home/a/.config/yarn/global/node_modules/lathe", "yarn global add @ours/lathe"],
  ["/home/a/project/node_modules/lathe", undefined],
])("%s is updated by %s", (folder, command) => {
  expect(commandFor(folder, "@ours/lathe")).toBe(command);
});

it("shows the command, runs nothing without an answer, and runs it with --yes", async () => {
  npm("9.8.7");
  names("@ours/lathe");
  const folder = join(root, "prefix/lib/node_modules/@ours/lathe");
  const command = `npm install -g --prefix ${root}/prefix @ours/lathe@latest`;
  const news = `Version 9.8.7 is out; this is ${LATHE_VERSION}.\nTo update: ${command}\n`;
  expect(await run(folder, "--check")).toEqual([0, news]);
  expect(await run(folder)).toEqual([
    0,
    `${news}Nothing was changed. To run it without a question: lathe update --yes\n`,
  ]);
  expect(calls).toThrow("ENOENT");
  expect(await run(folder, "--yes")).toEqual([
    0,
    `${news}added\nUpdated. Sessions that are open keep running the old version.\n`,
  ]);
  expect(calls()).toBe(`${command}\n`);
});

it("says that there is nothing newer, that npm gave no answer, and that the package manager failed", async () => {
  names("@ours/lathe");
  const folder = join(root, ".bun/install/global/node_modules/lathe");
  npm("0.0.0-a");
  expect(await run(folder, "--yes")).toEqual([0, `Lathe ${LATHE_VERSION} is up to date.\n`]);
  npm("''");
  expect(await run(folder, "--yes")).toEqual([1, expect.stringContaining("Is the registry reachable?")]);
  npm("9.8.7");
  program("bun", "echo broken; exit 7");
  expect(await run(folder, "--yes")).toEqual([1, expect.stringMatching(/broken\nThe update failed \(exit code 7\)/)]);
});

it("installs no stranger's package: without its name it asks for it, and in a project it names the folder", async () => {
  npm("9.8.7");
  expect(await run("/usr/lib/node_modules/lathe", "--yes")).toEqual([
    2,
    "Lathe does not know which package it was installed from. Run: npm install -g --prefix /usr <package>, or name the package once: lathe config set updates.package <package>",
  ]);
  expect(await run("/project/node_modules/lathe", "--yes")).toEqual([
    2,
    "Lathe is installed in /project/node_modules/lathe, not globally: update it there, the way it was installed.",
  ]);
  expect(await run("/usr/lib/node_modules/lathe", "the", "README")).toEqual([
    2,
    'lathe update takes no words. To send them as a prompt: lathe -p "update the README"',
  ]);
  expect(calls).toThrow("ENOENT");
});

it("a checkout is pulled and built, when its remote has new commits", async () => {
  npm("9.8.7");
  const git = (folder: string, ...args: string[]): void =>
    void execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "pipe" });
  const [remote, clone] = [join(root, "remote"), join(root, "clone")];
  mkdirSync(remote);
  git(remote, "init", "--initial-branch=main");
  git(remote, "commit", "--allow-empty", "-m", "one");
  git(root, "clone", remote, clone);
  const folder = join(clone, "packages/lathe");
  expect(await run(folder)).toEqual([0, `Lathe ${LATHE_VERSION} is up to date.\n`]);
  git(remote, "commit", "--allow-empty", "-m", "two");
  const command = `cd ${clone} && git pull --ff-only && npm ci && npm run build`;
  expect(await run(folder, "--check")).toEqual([0, `1 new commit for ${clone}.\nTo update: ${command}\n`]);
  expect(await run(folder, "--yes")).toEqual([0, expect.stringContaining("Updated.")]);
  expect(calls()).toBe("npm ci\nnpm run build\n");
  expect(await run(folder)).toEqual([0, `Lathe ${LATHE_VERSION} is up to date.\n`]);
});
