// A rename across many files is complete or refused, whatever the files are called, whatever process is killed or
// writes meanwhile.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalEnvironment } from "@lathe/agent";
import { lspTool } from "@lathe/agent/tools";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { CallPaths } from "../../agent/src/contract/paths/call-paths.ts";
import { contextFor } from "../../agent/test/edit/harness.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { LspHarness } from "./lsp-harness.ts";
import { PROJECTS, TYPESCRIPT_5 } from "./lsp-projects.ts";
import { manyFiles, readFiles, renameIn, writeFiles } from "./lsp-rename-project.ts";

const TYPESCRIPT = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
const FULL = ["--permission-mode", "full", "--profile", "lathe"];
const isLong = process.env["LATHE_LONG"] !== undefined;
/** At least 24: each kind of name with each kind of line end. */
const MANY = isLong ? 200 : 32;
const RENAME = { action: "rename", file: "src/def.ts", line: 1, symbol: "greet", new_name: "hail" } as const;
const rename = turn.calls([{ name: "lsp", args: RENAME, id: "r" }]);

function withTypeScript(folder: string): void {
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(TYPESCRIPT, join(folder, "node_modules/typescript"));
  symlinkSync(join(TYPESCRIPT, "bin/tsc"), join(folder, "node_modules/.bin/tsc"));
}

it("LP-04 a rename at once after a cold start is whole, with the defaults of typescript-language-server too", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-rename-")));
  const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder } });
  const files = manyFiles(30);
  writeFiles(folder, files);
  const { row } = PROJECTS["typescript-language-server"]!;
  const initOptions = {
    disableAutomaticTypingAcquisition: true,
    tsserver: { path: join(TYPESCRIPT_5, "lib/tsserver.js") },
  };
  const lsp = new LspHarness([{ ...row, initOptions }], env);
  try {
    const question = { action: "rename", file: "src/def.ts", line: 1, symbol: "greet", newName: "hail" } as const;
    const plan = await lsp.plan({ ...question, timeoutMs: 60_000 });
    expect(plan.files.map(({ path }) => path).sort()).toEqual(
      Object.keys(files)
        .filter((name) => name.endsWith(".ts"))
        .sort(),
    );
    expect(plan.files.flatMap(({ edits }) => edits)).toHaveLength(29 * 5 + 1);
    // The user saves one of them while the question is open.
    const tool = lspTool({ answer: () => Promise.reject(new Error("unused")), plan: () => Promise.resolve(plan) });
    const context = contextFor(env);
    const call = { ...context, paths: new CallPaths(env, context.signal) };
    expect(await tool.access?.(RENAME, call)).toContainEqual(expect.objectContaining({ kind: "write" }));
    const [touched = ""] = plan.files.map(({ path }) => path).filter((path) => path.includes("d3"));
    writeFileSync(join(folder, touched), `// mine\n${files[touched]}`);
    await expect(tool.execute(RENAME, call)).rejects.toThrow(
      `${touched} has changed since this edit was computed. Nothing was written; ask again.`,
    );
    expect(readFiles(folder)).toEqual({ ...files, [touched]: `// mine\n${files[touched]}` });
  } finally {
    await lsp.close();
    await env.cleanup();
    rmSync(folder, { recursive: true, force: true });
  }
}, 180_000);

it(`LP-04 T-LSP-1 a rename through ${MANY} files with odd names, line ends and marks: nothing else changes, and it compiles`, async () => {
  const scene = await stage([rename, turn.text("done")]);
  try {
    const { dir } = scene.box;
    const files = manyFiles(MANY);
    writeFiles(dir, files);
    withTypeScript(dir);
    await scene.box.run(["trust"]);
    expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
    expect(scene.server.requests.at(-1)?.result("r")).toContain(`Changed ${MANY} files.`);
    expect(readFiles(dir)).toEqual(renameIn(files));
    execFileSync(join(dir, "node_modules/.bin/tsc"), ["-p", "."], { cwd: dir, stdio: "pipe" });
  } finally {
    await scene.close();
  }
}, 300_000);

const preload = {
  NODE_OPTIONS: `--require ${fileURLToPath(new URL("./die-at-change.cjs", import.meta.url))}`,
  // The line of the journal that holds the call.
  DIE_AFTER: '"new_name":"hail"',
};

/** Whether it was killed. */
async function renameAndDie(scene: Stage, at: number): Promise<boolean> {
  const child = scene.box.start([...scene.args, ...FULL, "go"], { ...scene.env, ...preload, DIE_AT: String(at) });
  child.stdin.end();
  child.stdout.resume();
  child.stderr.resume();
  await once(child, "close");
  return child.signalCode === "SIGKILL";
}

it(
  `LP-04 SIGKILL at ${isLong ? "every" : "some"} change of the disk while a rename is written: all or nothing after the next start`,
  async () => {
    const files = manyFiles(4);
    const outcomes: string[] = [];
    const hasSeenBoth = (): boolean => new Set(outcomes).size === 2;
    for (let at = isLong ? 1 : 25, isKilled = true; isKilled && (isLong || !hasSeenBoth()); at += isLong ? 1 : 70) {
      const scene = await stage([rename, turn.text("done"), turn.text("done"), turn.text("done")]);
      try {
        const { dir } = scene.box;
        writeFiles(dir, files);
        withTypeScript(dir);
        await scene.box.run(["trust"]);
        isKilled = await renameAndDie(scene, at);
        expect(await scene.run([...FULL, "again"])).toMatchObject({ code: 0 });
        const isWhole = readFileSync(join(dir, "src/def.ts"), "utf8").includes("hail");
        expect({ at, files: readFiles(dir) }).toEqual({ at, files: isWhole ? renameIn(files) : files });
        outcomes.push(isWhole ? "all" : "nothing");
      } finally {
        await scene.close();
      }
    }
    if (isLong) console.log(`${outcomes.length} kills: ${outcomes.filter((one) => one === "all").length} all`);
    expect(hasSeenBoth()).toBe(true);
  },
  isLong ? 3_600_000 : 300_000,
);
