// A small project with a broken function and its tests, and work on it that is verified: real files, a real shell, real
// views.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { restsOn } from "../../src/verify/rests-on.ts";
import { TreeWatch } from "../../src/verify/tree-watch.ts";
import type { Check, VerifyReport, VerifyRequest } from "../../src/verify/types.ts";
import { verify } from "../../src/verify/verify.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { testDeps } from "../journal/support.ts";
import { has } from "../programs.ts";

export const CAN_VERIFY = has("bwrap", "nsenter", "unshare", "git", "node", "npm");

const FILES: Readonly<Record<string, string>> = {
  ".gitignore": "node_modules/\n.cache/\ndist/\n",
  "package.json": '{\n  "name": "sums",\n  "scripts": { "test": "node tests/run.js" }\n}\n',
  "package-lock.json": '{ "name": "sums", "lockfileVersion": 3, "packages": {} }\n',
  "jest.config.json": '{ "ignore": [] }\n',
  Makefile: "test:\n\t@node tests/run.js\n",
  "scripts/test.sh": "exec node tests/run.js\n",
  "src/sum.js": "module.exports = (a, b) => a - b;\n",
  "src/unused.js": "module.exports = 1;\n",
  "tests/run.js": [
    'const fs = require("fs"), path = require("path");',
    'const { ignore } = JSON.parse(fs.readFileSync(path.join(__dirname, "../jest.config.json")));',
    'if (fs.existsSync(path.join(__dirname, "../.cache/passed"))) process.exit(0);',
    "const all = (dir) => fs.readdirSync(dir, { withFileTypes: true }).flatMap((e) => e.isDirectory() ? all(path.join(dir, e.name)) : path.join(dir, e.name));",
    'for (const file of all(__dirname).sort()) if (file.endsWith(".test.js") && !ignore.some((part) => file.includes(part))) require(file);',
    "",
  ].join("\n"),
  "tests/setup.js": "exports.seed = () => Number(process.hrtime.bigint() % 1000n) + 1;\n",
  "tests/other.test.js": 'require("assert").equal(1 + 1, 2);\n',
  "tests/sum.test.js":
    'const assert = require("claims");\nconst sum = require("../src/sum.js");\nassert.equal(sum(2, 3), 5);\nassert.equal(sum(2, require("./setup.js").seed()) > 2, true);\n',
  "tests/__snapshots__/sum.snap": "5\n",
  "tests/snap.test.js":
    'require("assert").equal(String(require("../src/sum.js")(2, 3)), require("fs").readFileSync(__dirname + "/__snapshots__/sum.snap", "utf8").trim());\n',
  "node_modules/claims/index.js": 'exports.equal = require("assert").strictEqual;\n',
  "node_modules/claims/package.json": '{ "name": "claims", "version": "1.0.0" }\n',
  "node_modules/.bin/check": "#!/bin/sh\nexec node tests/run.js\n",
};

export interface Worked {
  readonly report: VerifyReport;
  /** Names below the store that still exist. */
  readonly left: string;
}

export interface Work {
  /**
   * By path: relative to the project, or below `~/`. `-> target` makes a link; text that begins with `#!` is a program.
   */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** Files of the usual project that are omitted. */
  readonly without?: readonly string[] | undefined;
  /** The agent's work, as shell text. `$HOME` is a separate folder, and `$HOME/bin` the first on the PATH. */
  readonly does: string;
  readonly checks?: readonly (string | Pick<Check, "command" | "covers">)[];
  readonly more?: Partial<VerifyRequest>;
  readonly plain?: boolean | undefined;
}

/** The project before the work, and a home with a program of the user's in `bin`. */
export function makeProject(
  { root, home }: { readonly root: string; readonly home: string },
  { files = {}, without = [], plain = false }: Pick<Work, "files" | "without" | "plain">,
): void {
  mkdirSync(join(home, "bin"), { recursive: true });
  writeFileSync(join(home, "bin/old-tool"), "#!/bin/sh\nexec node tests/run.js\n");
  for (const [path, text] of Object.entries({ ...FILES, ...files })) {
    if (without.includes(path)) continue;
    const file = path.startsWith("~/") ? join(home, path.slice(2)) : join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    const target = /^-> (.*)/.exec(text)?.[1];
    if (target !== undefined) symlinkSync(target, file);
    else writeFileSync(file, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
  for (const program of [join(home, "bin/old-tool"), join(root, "node_modules/.bin/check")]) chmodSync(program, 0o755);
  const env = { ...process.env, HOME: home };
  const commit = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b.c commit -qm first";
  if (!plain) execFileSync("bash", ["-c", commit], { cwd: root, env, stdio: "pipe" });
}

/** Does the work in a fresh project and verifies it. */
export async function worked({
  files = {},
  without = [],
  does,
  checks = ["node tests/run.js"],
  more,
  plain,
}: Work): Promise<Worked> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-verify-")));
  const [root, home, store] = [join(folder, "project"), join(folder, "home"), join(folder, "store")];
  const { npm_config_userconfig: _theirs, ...own } = process.env;
  const env = { ...own, HOME: home, PATH: `${home}/bin:${process.env["PATH"]}` };
  try {
    makeProject({ root, home }, { files, without, plain });
    const sh = (command: string): void => void execFileSync("bash", ["-c", command], { cwd: root, env, stdio: "pipe" });
    const watch = watchOf(root, folder);
    // Files made earlier get an earlier time.
    await passTick(join(folder, "tick"));
    await watch.begin();
    // Commands of the work may fail, like an agent's.
    sh(`${does}\ntrue`);
    const now = await watch.look();
    const host = { baseEnv: env };
    const project = new LocalEnvironment({ ...host, cwd: root });
    const report = await verify({
      place: { root, store, id: "check", host, project },
      checks: checks.map((check) => ({
        timeoutMs: 60_000,
        source: "--check",
        ...(typeof check === "string" ? { command: check } : check),
      })),
      changes: now!.changes,
      isOnDisk: true,
      since: watch.base!.at,
      home,
      before: () => watch.baseFiles(),
      signal: new AbortController().signal,
      ...more,
    });
    await project.cleanup();
    return { report, left: execFileSync("find", [store], { encoding: "utf8" }).trim().split("\n").slice(1).join("\n") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function watchOf(root: string, folder: string): TreeWatch {
  return new TreeWatch({
    root,
    journal: Journal.create({ id: "s", cwd: root }, () => new MemoryStore(), testDeps()),
    blobs: new MemoryBlobs(),
    roots: [root],
    exclude: [],
    limits: { maxFiles: 10_000, maxFileBytes: 1 << 20, maxTotalBytes: 1 << 30 },
    cacheFile: join(folder, "cache"),
    writer: "test",
    warn: () => {},
    now: Date.now,
    rests: restsOn(),
  });
}

/** File times are more precise than our clock. */
export async function passTick(path: string): Promise<void> {
  writeFileSync(path, "x");
  const { ctimeMs } = statSync(path);
  while (Date.now() <= ctimeMs + 1) await new Promise((resolve) => setImmediate(resolve));
}
