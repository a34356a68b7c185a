// `lathe map` and its index: what it shows, what it refuses, and that it is correct after every kind of change.

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalEnvironment, MemoryEnvironment } from "@lathe/agent";
import { openView } from "@lathe/agent/files";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CAN_ISOLATE, NEEDS } from "../../agent/test/isolate/project.ts";
import type { CodeIndex } from "../src/additions/code-index/code-index.ts";
import { CodeIndexes } from "../src/additions/code-index/code-indexes.ts";
import { type Sandbox, sandbox } from "./command.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const isLong = process.env["LATHE_LONG"] !== undefined;
const signal = new AbortController().signal;

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox();
});
afterEach(() => box.remove());

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(box.dir, path)), { recursive: true });
    writeFileSync(join(box.dir, path), text);
  }
}
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: box.dir, encoding: "utf8" });

/** Three files use `core`, one uses `rare`. */
const PROJECT = {
  "src/core.ts": "export function core(a: string): string {\n  return a;\n}\nexport const rare = 1;\n",
  "src/one.ts": 'import { core } from "./core.ts";\nexport const one = core("1");\n',
  "src/two.ts": 'import { core, rare } from "./core.js";\nexport const two = core(String(rare));\n',
  "lib/index.ts": 'export * from "../src/core.ts";\n',
  "lib/three.ts": 'import { core } from "./index.ts";\nexport class Three {\n  go(): string { return core("3"); }\n}\n',
  "test/core.test.ts": 'import { core } from "../src/core.ts";\nexport const helper = core("t");\n',
};

it("shows the most linked definitions first, by file and line, within 80 columns and the given length", async () => {
  write(PROJECT);
  write({ "src/long.ts": `export function long(${"someParameter: string, ".repeat(9)}) {}\n` });
  const whole = await box.run(["map"]);
  expect(whole.stderr).toBe("");
  expect(whole.stdout.split("\n").slice(0, 4)).toEqual([
    "7 files: 8 definitions, the most linked first",
    "src/core.ts",
    "     1 function core(a: string): string",
    "     4 const rare",
  ]);
  expect(whole.stdout).toContain("     3 Three.go(): string");
  expect(Math.max(...whole.stdout.split("\n").map(({ length }) => length))).toBe(80);
  // A test comes last, however much it refers to.
  expect(whole.stdout.trimEnd().split("\n").at(-1)).toBe("     2 const helper");
  const part = await box.run(["map", "lib"]);
  expect(part.stdout).toBe(
    "lib: 2 definitions, the most linked first\nlib/three.ts\n     2 class Three\n     3 Three.go(): string\n\nUsed by lib:\nsrc/core.ts\n     1 function core(a: string): string\n",
  );
  write(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`src/f${i}.ts`, `export const value${i} = 1;\n`])));
  const short = await box.run(["map", "--tokens", "100"]);
  expect(short.stdout.length).toBeLessThan(100 * 4 + 120);
  expect(short.stdout).toMatch(/\n\d+ more definitions: lathe map --tokens 200\n$/);
});

it("bad input is one line each", async () => {
  const lines: string[] = [];
  for (const args of [["nowhere"], ["--tokens", "many"], ["--tokens", "1"], ["a", "b"], ["--nonsense"], []]) {
    const { code, stdout, stderr } = await box.run(["map", ...args]);
    expect(stdout).toBe("");
    expect(code).toBe(args.length === 0 ? 1 : 2);
    lines.push(stderr.replaceAll(box.dir, "DIR"));
  }
  expect(lines).toEqual([
    "lathe: nowhere does not exist. Name a folder or file: lathe map [path]\n",
    'lathe: --tokens takes a number from 100 to 20000, not "many".\n',
    'lathe: --tokens takes a number from 100 to 20000, not "1".\n',
    'lathe: lathe map takes one path, but got "b" as well.\n',
    "lathe: Unknown option '--nonsense'. See: lathe map --help\n",
    "lathe: DIR has no source code in a language that Lathe knows.\n",
  ]);
  write({ "README.md": "# text\n" });
  expect((await box.run(["map", "README.md"])).stderr).toBe(
    "lathe: README.md has no source code in a language that Lathe knows.\n",
  );
});

it("repo_map gives the model the same, without files that a rule denies, and only of this machine's project", async () => {
  write(PROJECT);
  const call = (args: object, ...options: string[]) => box.run(["tool", "repo_map", JSON.stringify(args), ...options]);
  const whole = await call({});
  expect(whole.stdout).toMatch(/^6 files: 7 definitions, the most linked first\nsrc\/core.ts\n {5}1 function core/);
  expect((await call({}, "--deny", "read(src/core.ts)")).stdout).not.toContain("core.ts");
  expect((await call({ path: "lib", tokens: 100 })).stdout).toContain("Used by lib:\nsrc/core.ts");
  expect(await call({ path: "nowhere" })).toMatchObject({ code: 1, stdout: "nowhere does not exist.\n" });
  write({ "src/large.ts": "export const n = 1;\n".repeat(25_000) });
  expect((await call({ path: "src/large.ts" })).stdout).toBe(
    "src/large.ts is not in the index: it is larger than 400 kB.\n",
  );
  expect((await call({ path: ".." })).stdout).toBe("Only the working directory can be mapped.\n");
  const indexes = new CodeIndexes(join(box.home, "cache"), Date.now);
  await expect(indexes.for(new MemoryEnvironment())).rejects.toThrow(
    "The code index is only for files on this machine.",
  );
});

/** The files that contain a name, according to the index. */
const filesWith = async (index: CodeIndex, name: string): Promise<string> =>
  (await index.find(name, signal)).references.map(({ path, lines }) => `${path}:${lines.join(",")}`).join(" ");

async function withIndex(use: (index: CodeIndex, file: string) => Promise<void>, root = box.dir): Promise<void> {
  const env = new LocalEnvironment({ cwd: root, baseEnv: process.env });
  const indexes = new CodeIndexes(join(box.home, "cache"), Date.now);
  try {
    const index = await indexes.for(env);
    await index.refresh(signal);
    await use(index, join(box.home, "cache/code-index", readdirSync(join(box.home, "cache/code-index"))[0] ?? ""));
  } finally {
    await indexes.close();
    await env.cleanup();
  }
}

it("is right again after sed, git checkout, deletes, renames and ignore files, and when its file was damaged", async () => {
  write(PROJECT);
  write({ "built/out.ts": "export const core = 2;\n", ".gitignore": "built/\n", "node_modules/x/a.js": "core();\n" });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  await withIndex(async (index, file) => {
    const all = "lib/three.ts:1,3 src/core.ts:1 src/one.ts:1,2 src/two.ts:1,2 test/core.test.ts:1,2";
    expect(await filesWith(index, "core")).toBe(all);
    expect((await index.dependentsOf("src/core.ts", signal))?.map(({ path }) => path)).toEqual([
      "src/two.ts",
      "lib/three.ts",
      "src/one.ts",
      "test/core.test.ts",
      "lib/index.ts",
    ]);
    execFileSync("sed", ["-i", "s/core/kern/g", "src/one.ts"], { cwd: box.dir });
    expect(await filesWith(index, "core")).toBe(all.replace(" src/one.ts:1,2", ""));
    expect(await filesWith(index, "kern")).toBe("src/one.ts:1,2");
    git("checkout", "-q", "--", ".");
    expect(await filesWith(index, "core")).toBe(all);
    expect(await filesWith(index, "kern")).toBe("");
    renameSync(join(box.dir, "src/two.ts"), join(box.dir, "lib/two.ts"));
    rmSync(join(box.dir, "lib/three.ts"));
    appendFileSync(join(box.dir, ".gitignore"), "test/\n");
    write({ "src/new.py": "from core import core\n" });
    expect(await filesWith(index, "core")).toBe("lib/two.ts:1,2 src/core.ts:1 src/new.py:1 src/one.ts:1,2");
    // A truncated file, one that is not a database, and one of another version.
    for (const damage of [
      () => truncateSync(file, Math.floor(statSync(file).size / 2)),
      () => writeFileSync(file, "no database at all ".repeat(500)),
      () =>
        execFileSync("python3", [
          "-c",
          `import sqlite3; c = sqlite3.connect(${JSON.stringify(file)}); c.execute("PRAGMA user_version = 99")`,
        ]),
    ]) {
      damage();
      expect(await filesWith(index, "rare")).toBe("lib/two.ts:1,2 src/core.ts:4");
    }
    expect(statSync(file).mode & 0o077).toBe(0);
  });
});

it.skipIf(!CAN_ISOLATE)(`an isolated copy has an index of its own, which is gone with it ${NEEDS}`, async () => {
  write(PROJECT);
  const host = { baseEnv: { PATH: process.env["PATH"] ?? "" } };
  const store = join(box.home, "views");
  const view = await openView({ root: box.dir, kind: "overlay", id: "one", store, host, signal });
  const indexes = new CodeIndexes(join(box.home, "cache"), Date.now);
  try {
    const inside = await indexes.for(view.env);
    await view.env.writeFile("src/one.ts", "export const only = 1;\n");
    expect(await filesWith(inside, "only")).toBe("src/one.ts:1");
    expect(await filesWith(inside, "core")).not.toContain("src/one.ts");
    await withIndex(async (index) => {
      expect(await filesWith(index, "only")).toBe("");
      expect(await filesWith(index, "core")).toContain("src/one.ts");
    });
    expect(readdirSync(join(box.home, "cache/code-index")).filter((name) => name.startsWith("view-"))).not.toEqual([]);
  } finally {
    await indexes.close();
    await view.close();
  }
  expect(readdirSync(join(box.home, "cache/code-index")).filter((name) => name.startsWith("view-"))).toEqual([]);
});

it("two processes at once and one that is killed leave an index that is right", async () => {
  write(PROJECT);
  write(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`gen/f${i}.ts`, `export const g${i} = ${i};\n`])));
  const killed = box.start(["map"]);
  const gone = new Promise((resolve) => killed.on("close", resolve));
  const folder = join(box.env["LATHE_HOME"]!, "cache/code-index");
  await expect.poll(() => readdirSync(folder, { recursive: true }).length > 0, { interval: 5 }).toBe(true);
  killed.kill("SIGKILL");
  await gone;
  const [first, second] = await Promise.all([box.runBuilt(["map"]), box.runBuilt(["map"])]);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(second).toEqual(first);
  expect(first.stdout).toMatch(/^66 files: 67 definitions/);
});

it("knows the names of this repository exactly as TypeScript reads them", async () => {
  const { default: ts } = await import("../../testkit/node_modules/typescript/lib/typescript.js");
  const root = isLong ? ROOT : join(ROOT, "packages/tui/src/rows");
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts", "*.mts"], {
    cwd: root,
    encoding: "utf8",
  });
  const paths = listed
    .trim()
    .split("\n")
    .filter((path) => !/(?:^|\/)\./.test(path) && statSync(join(root, path)).size <= 400_000);
  /** By name, `path:line`. */
  const expected = new Map<string, Set<string>>();
  for (const path of paths) {
    const source = ts.createSourceFile(path, readFileSync(join(root, path), "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node: Parameters<typeof ts.forEachChild>[0]): void => {
      if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        expected.set(node.text, (expected.get(node.text) ?? new Set()).add(`${path}:${line}`));
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  // Words of the language itself, which only one of the two counts as names.
  const words = new Set(["", "undefined", "meta", "const", "global", "target", "bigint", "this", "constructor"]);
  const names = [...expected.keys()].filter((name) => !words.has(name)).sort();
  const chosen = isLong ? names.filter((_, at) => at % Math.floor(names.length / 200) === 0) : names.slice(0, 20);
  await withIndex(async (index) => {
    const wrong: string[] = [];
    for (const name of chosen) {
      const { references } = await index.find(name, signal);
      const known = references.flatMap(({ path, lines }) =>
        /\.m?ts$/.test(path) ? lines.map((line) => `${path}:${line}`) : [],
      );
      const should = expected.get(name) ?? new Set();
      const missing = [...should].filter((place) => !known.includes(place));
      const extra = known.filter((place) => !should.has(place));
      if (missing.length + extra.length > 0)
        wrong.push(`${name}: missing ${missing.slice(0, 3)} extra ${extra.slice(0, 3)}`);
    }
    expect(wrong).toEqual([]);
  }, root);
}, 900_000);
