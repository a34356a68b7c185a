// What language servers cost: errors after an edit of this repository, an edit where there is no server, the start, and memory with agents.

import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalEnvironment } from "@lathe/agent";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { Answers } from "../src/additions/lsp/answers.ts";
import { ErrorsAfterEdit } from "../src/additions/lsp/errors-after-edit.ts";
import { LanguageServers } from "../src/additions/lsp/language-servers.ts";
import { Refactorings } from "../src/additions/lsp/refactorings.ts";
import { SERVER_ROWS } from "../src/additions/lsp/server-rows.ts";
import { startTime } from "./start-time.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
const TSC = join(REPOSITORY, "node_modules/.bin/tsc");
const EDITED = "packages/lathe/src/additions/lsp/addresses.ts";
const EDITS = 10;
const CHILDREN = 8;
const WRITES = 50;
const ROUNDS = 30;
const signal = new AbortController().signal;
// The build puts it in.
Object.assign(globalThis, { LATHE_VERSION: "bench" });

/** The sources of this repository, to be edited. */
function copyOfRepository(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-lsp-bench-")));
  const wanted = ["packages", "scripts", "tsconfig*.json", "package.json"];
  const names = execFileSync("git", ["ls-files", "-z", "--", ...wanted], { cwd: REPOSITORY, encoding: "utf8" });
  for (const name of names.split("\0").filter((one) => /\.(?:ts|mts|json|md)$/.test(one))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), readFileSync(join(REPOSITORY, name)));
  }
  symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function open(folder: string) {
  const env = new LocalEnvironment({ cwd: folder, baseEnv: process.env });
  const rows = SERVER_ROWS.filter(({ name }) => name === "typescript");
  const servers = new LanguageServers({ rows, top: folder, isTrusted: () => true, now: Date.now, warn: () => {} });
  const close = async (): Promise<void> => {
    await servers.close();
    await env.cleanup();
    rmSync(folder, { recursive: true, force: true });
  };
  return { env, servers, mayShow: () => true, close };
}

const errorsAfterEdit: Bench = {
  name: "errors after an edit of this repository, warm, over tsc --noEmit",
  async run() {
    const folder = copyOfRepository();
    const { env, servers, mayShow, close } = open(folder);
    const path = join(folder, EDITED);
    let before = readFileSync(path, "utf8");
    const errors = new ErrorsAfterEdit({ servers, mayShow, contentOf: () => Buffer.from(before) });
    const content = { sha256: "", bytes: 1 };
    let best = Number.POSITIVE_INFINITY;
    for (let edit = 0; edit < EDITS; edit++) {
      const now = `${before}export const bench${edit} = 1;\n`;
      writeFileSync(path, now);
      const begun = performance.now();
      const change = { path, before: content, after: content, added: 1, removed: 0 };
      await errors.after({ content: [], changes: [change] }, env, signal);
      best = Math.min(best, performance.now() - begun);
      before = now;
    }
    const begun = performance.now();
    spawnSync(TSC, ["--noEmit", "-p", "."], { cwd: folder });
    const whole = performance.now() - begun;
    await close();
    return ratio(best, whole, { budget: 0.1, unit: "ms" });
  },
};

const editWithoutServer: Bench = {
  name: "an edit in a folder without a language server over the write alone",
  async run() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-lsp-bench-")));
    const { env, servers, mayShow, close } = open(folder);
    const path = join(folder, "a.txt");
    const errors = new ErrorsAfterEdit({ servers, mayShow, contentOf: () => Buffer.from("") });
    const content = { sha256: "", bytes: 1 };
    const changes = [{ path, before: content, after: content, added: 1, removed: 0 }];
    const timed = async (isChecked: boolean): Promise<number> => {
      const begun = performance.now();
      for (let n = 0; n < WRITES; n++) {
        await env.writeFile(path, `${n}\n`);
        if (isChecked) await errors.after({ content: [], changes }, env, signal);
      }
      return performance.now() - begun;
    };
    let [ours, bare] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < ROUNDS; round++) {
      ours = Math.min(ours, await timed(true));
      bare = Math.min(bare, await timed(false));
    }
    await close();
    return ratio((ours * 1000) / WRITES, (bare * 1000) / WRITES, { budget: 1.05, unit: "us" });
  },
};

/** Resident memory of the servers that run in this folder, in MB. */
function memoryOfServers(folder: string): number {
  const table = execFileSync("ps", ["-eo", "pid=,rss=,args="], { encoding: "utf8" });
  const rows = table.split("\n").map((line) => line.trim().split(/\s+/));
  const isHere = ([pid = ""]: readonly string[]): boolean => readlinkSync(`/proc/${pid}/cwd`) === folder;
  const servers = rows.filter((row) => row.includes("--lsp") && isHere(row));
  return servers.reduce((sum, row) => sum + Number(row[1]), 0) / 1024;
}

/** After as many questions, however many agents ask them: a server keeps more with every one. */
async function memoryWith(agents: number): Promise<number> {
  const folder = copyOfRepository();
  const { servers, mayShow, close } = open(folder);
  const answers = new Answers({ servers, mayShow, refactorings: new Refactorings(servers) });
  const places = Array.from({ length: agents }, () => new LocalEnvironment({ cwd: folder, baseEnv: process.env }));
  const question = { action: "references", file: join(folder, EDITED), line: 4, symbol: "toUri" } as const;
  for (let n = 0; n < CHILDREN; n++) await answers.answer(question, places[n % agents]!, signal);
  const memory = memoryOfServers(folder);
  await close();
  return memory;
}

const memoryWithChildren: Bench = {
  name: `memory of language servers with ${CHILDREN} agents in one tree over one`,
  async run() {
    const [one, many] = [await memoryWith(1), await memoryWith(CHILDREN)];
    return { value: many / one, unit: "x", budget: 1.1, note: `${many.toFixed(0)} MB against ${one.toFixed(0)} MB` };
  },
};

const PROJECT = { "project/tsconfig.json": "{}\n", "project/a.ts": "export const a = 1;\n" };
const OFF = { ".lathe/config.yml": "lsp:\n  enabled: false\n" };
const ON = { ".lathe/config.yml": "lsp:\n  enabled: true\n" };

const startWithServers: Bench = {
  name: "start to first request in a TypeScript project with language servers over the same without",
  run: async () => ({ ...(await startTime({ ...PROJECT, ...ON }, { ...PROJECT, ...OFF })), budget: 1.05 }),
};

export const benches: Bench[] = [errorsAfterEdit, editWithoutServer, memoryWithChildren, startWithServers];
