import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI } from "./command.ts";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench();
});
afterEach(() => b.close());

/**
 * Loaded before the command: notes which files of it are read, how many rows of the catalog are parsed, and which of node's
 * modules are there when the first request goes out.
 */
const SPY = `
const fs = require("node:fs");
const files = [];
let rows = 0;
const open = fs.openSync;
fs.openSync = (path, ...rest) => { if (String(path).endsWith(".js")) files.push(String(path)); return open(path, ...rest); };
const parse = JSON.parse;
JSON.parse = (text, ...rest) => { if (String(text).startsWith('{"id":')) rows++; return parse(text, ...rest); };
let modules = [];
let early = [];
process.addListener("lathe:first-request", () => { early = [...files]; modules = process.moduleLoadList.filter((name) => name.startsWith("NativeModule ")).map((name) => name.slice(13)); });
process.addListener("exit", () => fs.writeFileSync(process.env.SPY_REPORT, JSON.stringify({ files, early, rows, modules })));
`;

interface Spied {
  readonly usesYaml: boolean;
  readonly rows: number;
  readonly modules: readonly string[];
  /** Packs that are read before the first request. */
  readonly packs: readonly string[];
}

async function spied(args: readonly string[], cwd = b.box.dir): Promise<Spied> {
  const spy = join(b.box.dir, "spy.cjs");
  const report = join(b.box.dir, "report.json");
  await writeFile(spy, SPY);
  const env = {
    ...b.box.env,
    NODE_OPTIONS: `--require ${spy}`,
    SPY_REPORT: report,
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: b.server.baseUrl("openai"),
  };
  // Without a stdin: what is piped in has to be read.
  const child = spawn(process.execPath, [CLI, ...args, "-p", "hi"], { cwd, env, stdio: "ignore" });
  await once(child, "close");
  expect(child.exitCode).toBe(0);
  const { files, early, ...seen } = JSON.parse(await readFile(report, "utf8"));
  const packs = (early as string[]).filter((file) => file.includes("/packs/")).map((file) => basename(file));
  const texts = await Promise.all((files as string[]).map((file) => readFile(file, "latin1")));
  return { ...seen, packs, usesYaml: texts.some((text) => text.includes("parseAllDocuments")) };
}

describe("a start pays for one model only", () => {
  it.each([["openai/gpt-5.2"], ["openai/gpt-5.2:high"]])("%s parses its own row and loads no YAML", async (model) => {
    expect(await spied(["--model", model])).toMatchObject({
      usesYaml: false,
      rows: expect.toSatisfy((n) => n > 0 && n <= 3),
    });
  });

  it("loads of node what sends a request, and nothing that takes as long again", async () => {
    const { modules } = await spied(["--model", "openai/gpt-5.2"]);
    expect(modules).toContain("http");
    const dear = ["https", "tls", "crypto", "child_process", "zlib", "readline", "tty", "os", "worker_threads"];
    expect(modules.filter((name) => dear.includes(name))).toEqual([]);
    // Streams of the terminal, and the first use of promises for files.
    const made = ["internal/fs/streams", "internal/fs/promises", "internal/readline/interface"];
    expect(modules.filter((name) => made.includes(name))).toEqual([]);
  });

  it("reads one pack, also with the tools of other vendors' models, and for a project in a repository, where asking git loads no clock of node's", async () => {
    const repository = join(b.box.dir, "repository");
    execFileSync("git", ["init", "-q", repository]);
    // A project that has a language server, and the tools of other vendors' models.
    await writeFile(join(repository, "tsconfig.json"), "{}");
    for (const [cwd, profile] of [
      [b.box.dir, "lathe"],
      [repository, "openai"],
    ] as const) {
      const { packs, modules } = await spied(["--model", "openai/gpt-5.2", "--profile", profile], cwd);
      expect(packs).toEqual([expect.stringMatching(/^start-/)]);
      expect(modules.includes("child_process")).toBe(cwd === repository);
      expect(modules).not.toContain("perf_hooks");
    }
  });

  it("a name that may mean anything does build the list, and a models.yml does load YAML", async () => {
    await b.write("models.yml", "providers:\n  openai:\n    headers: { X-A: b }\n");
    const { usesYaml, rows } = await spied(["--model", "gpt-5.2"]);
    expect(usesYaml).toBe(true);
    expect(rows).toBeGreaterThan(100);
  });
});
