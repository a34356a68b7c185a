// grep and glob of the local environment over plain `rg` doing the same work on the same tree.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import type { Bench } from "../../../scripts/bench-types.ts";
import { CallPaths } from "../src/contract/paths/call-paths.ts";
import { ShownFiles } from "../src/files/edit/shown-files.ts";
import { searchPage } from "../src/files/search/search.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";
import { locateRipgrep } from "../src/world/env/search/locate-ripgrep.ts";
import { makeLargeTree } from "../test/large-tree.ts";

const ROUNDS = 15;

export const benches: Bench[] = [
  {
    name: "grep over plain rg",
    run: () => overRipgrep(["--line-number", "rareWord"], (env) => env.grep("rareWord", ".", {})),
  },
  {
    name: "glob, newest 500, over plain rg",
    run: () =>
      overRipgrep(["--files", "--sortr=modified", "--type=ts"], (env) => env.glob("**/*.ts", ".", { maxResults: 500 })),
  },
  {
    name: "search with tags over plain rg",
    run: () => overRipgrep(["--line-number", "--context=1", "--hidden", "rareWord"], searchTree, 1.6),
  },
];

async function searchTree(env: LocalEnvironment): Promise<void> {
  const signal = new AbortController().signal;
  const services = { vision: false, shownFiles: new ShownFiles() };
  const query = {
    pattern: "rareWord",
    paths: ["."],
    caseInsensitive: false,
    gitignore: true,
    skip: 0,
    timeoutMs: 60_000,
  };
  const { shown } = await searchPage(query, { env, signal, paths: new CallPaths(env, signal), services });
  if (shown.files === 0) throw new Error("search found nothing");
}

async function overRipgrep(args: string[], ours: (env: LocalEnvironment) => Promise<unknown>, budget = 1.3) {
  const rg = await locateRipgrep(process.env["PATH"]);
  if (rg === undefined) throw new Error("ripgrep is missing: run npm ci");
  const { root, files } = makeLargeTree(100);
  const env = new LocalEnvironment({ cwd: root, baseEnv: process.env, search: "ripgrep" });
  const plain: number[] = [];
  const own: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      plain.push(await timed(() => runPlain(rg, args, root)));
      own.push(await timed(() => ours(env)));
    }
  } finally {
    await env.cleanup();
    rmSync(root, { recursive: true, force: true });
  }
  const [base, value] = [Math.min(...plain), Math.min(...own)];
  return {
    value: value / base,
    unit: "x",
    budget,
    note: `${files} files, ${value.toFixed(1)} ms against ${base.toFixed(1)} ms`,
  };
}

function runPlain(rg: string, args: string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(rg, ["--no-config", "--no-require-git", ...args, "./"], {
      cwd,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.once("error", reject);
    child.once("close", () => (text === "" ? reject(new Error("rg found nothing")) : resolve()));
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
