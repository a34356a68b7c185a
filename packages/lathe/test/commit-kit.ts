// A repository with its own identity, a model server, and `lathe commit` in it.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CallSpec, type Script, turn } from "@lathe/testkit";
import type { Finished, RunOptions } from "./command.ts";
import { type Stage, stage } from "./contract-kit.ts";

export interface CommitScene extends Stage {
  git(...args: string[]): string;
  write(path: string, text: string | Uint8Array): void;
  read(path: string): string;
  has(path: string): boolean;
  hook(name: string, script: string): void;
  /** `lathe commit` with these arguments. */
  commit(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Everything that must be unchanged if nothing was committed. */
  state(): string;
}

export async function commitScene(script: Script = () => turn.text("feat: x")): Promise<CommitScene> {
  const scene = await stage(script);
  const { dir, home, env } = scene.box;
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n",
  );
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] }).toString();
  git("init", "-q", "--template=");
  return {
    ...scene,
    git,
    write: (path, text) => {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
    read: (path) => readFileSync(join(dir, path), "utf8"),
    has: (path) => existsSync(join(dir, path)),
    hook: (name, text) => {
      mkdirSync(join(dir, ".git/hooks"), { recursive: true });
      writeFileSync(join(dir, ".git/hooks", name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(dir, ".git/hooks", name), 0o755);
    },
    commit: (args, options) =>
      scene.box.run(["commit", ...scene.args, ...args], { ...options, env: { ...scene.env, ...options?.env } }),
    state: () => `${git("status", "--porcelain=v2", "--branch")}\n${git("diff", "--cached")}\n${git("diff")}`,
  };
}

/** A model's answer that proposes commits: message and numbers of hunks. */
export const proposes = (...commits: readonly (readonly [message: string, parts: string])[]) =>
  turn.calls([
    {
      name: "propose_commits",
      args: { commits: commits.map(([message, parts]) => ({ message, parts })) },
    } satisfies CallSpec,
  ]);

export const lines = (count: number, text = "line"): string =>
  Array.from({ length: count }, (_, i) => `${text} ${i + 1}\n`).join("");
