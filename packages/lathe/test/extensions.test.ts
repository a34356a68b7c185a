// A user's file loaded as an extension: inside the test, and by the built command if its process or its build matters.

import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadExtension } from "../src/additions/extensions/load.ts";
import { type Finished, type Sandbox, sandbox } from "./command.ts";

/** Records at exit, in a file `loaded`, whether the compiler was loaded. */
const SPY = fileURLToPath(new URL("./compiler-spy.cjs", import.meta.url));

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox();
});
afterEach(() => box.remove());

async function files(content: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(content)) {
    await mkdir(dirname(join(box.dir, name)), { recursive: true });
    await writeFile(join(box.dir, name), text);
  }
}

const load = (file: string): Promise<Finished> => box.run(["load-extension", file]);
const loadBuilt = (file: string, env: Record<string, string> = {}): Promise<Finished> =>
  box.runBuilt(["load-extension", file], { env });

/** The libraries of a user who installed them next to the extension, for their types. */
const ANOTHER_COPY = {
  "node_modules/@lathe/llm/package.json": '{"name":"@lathe/llm","type":"module","exports":"./index.js"}',
  "node_modules/@lathe/llm/index.js": "export class RateLimitError extends Error {}",
};

const MODULE = `
import { JournalError, Session } from "@lathe/agent";
import { RateLimitError } from "@lathe/llm";
import { helper } from "./helper.mjs";
export { Session };
export const limited = new RateLimitError("slow down", { provider: "here" });
export const locked = new JournalError("locked", "in use");
export const same = helper === RateLimitError ? () => {} : "another copy";
export default function extension() {}
`;
const HELPER = 'import { RateLimitError } from "@lathe/llm"; export const helper = RateLimitError;\n';
const SCRIPT = `
const { JournalError, Session } = require("@lathe/agent");
const { RateLimitError } = require("@lathe/llm");
module.exports = function extension() {};
module.exports.Session = Session;
module.exports.limited = new RateLimitError("slow down", { provider: "here" });
module.exports.locked = new JournalError("locked", "in use");
module.exports.same = require("./helper.cjs") === RateLimitError ? () => {} : "another copy";
`;
const SCRIPT_HELPER = 'module.exports = require("@lathe/llm").RateLimitError;\n';

describe("the libraries that an extension imports are the ones that run", () => {
  const KINDS: readonly (readonly [kind: string, name: string, text: string])[] = [
    ["TypeScript", "extension.ts", MODULE.replace("extension()", "extension(api: unknown): void")],
    ["CommonJS", "extension.cjs", SCRIPT],
    ["a JavaScript module", "extension.mjs", MODULE],
    ["JavaScript in a package of modules", "inner/extension.js", MODULE],
    ["JavaScript in no package", "extension.js", MODULE],
    [
      "a module that waits at its top level",
      "extension.ts",
      `await Promise.resolve();${MODULE.replace("helper.mjs", "helper.ts")}`,
    ],
  ];
  const HELPERS = {
    "inner/package.json": '{"type":"module"}',
    "helper.ts": HELPER,
    "helper.mjs": HELPER,
    "inner/helper.mjs": HELPER,
    "helper.cjs": SCRIPT_HELPER,
  };
  const exportsOf = async (loaded: Promise<Finished>): Promise<string[]> => {
    const { code, stdout, stderr } = await loaded;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout.trim().split("\n").sort();
  };
  const EXPECTED = [
    "Session: function, Session of @lathe/agent",
    "default: function",
    "limited: object, an instance of RateLimitError of @lathe/llm",
    "locked: object, an instance of JournalError of @lathe/agent",
    "same: function",
  ];

  it.each(KINDS)("%s", async (_, name, text) => {
    await files({ ...HELPERS, [name]: text });
    expect(await exportsOf(load(name))).toEqual(EXPECTED);
  });

  it.each(KINDS)("%s: another copy beside it changes nothing", async (_, name, text) => {
    await files({ ...HELPERS, ...ANOTHER_COPY, [name]: text });
    expect(await exportsOf(load(name))).toEqual(EXPECTED);
  });

  it.each(KINDS.slice(0, 2))("%s in the built command, with another copy beside it", async (_, name, text) => {
    await files({ ...HELPERS, ...ANOTHER_COPY, [name]: text });
    expect(await exportsOf(loadBuilt(name))).toEqual(EXPECTED);
  });

  it("has every name that the packages export, by every path", async () => {
    const names = [...(await exportsInSources("llm")), ...(await exportsInSources("agent"))];
    await files({
      "names.ts": `${names.map(([library], i) => `import * as l${i} from "${library}";`).join("\n")}
        const has = (library: object) => Object.keys(library).filter((name) => (library as any)[name] !== undefined).sort();
        throw JSON.stringify([${names.map(([library], i) => `["${library}", has(l${i})]`).join(",")}]);`,
    });
    const { stderr } = await loadBuilt("names.ts");
    expect(JSON.parse(stderr.slice(stderr.indexOf("[")))).toEqual(names);
  });
});

/** What each export path of a package offers, read from its sources: to run all of them here would take far longer. */
async function exportsInSources(name: string): Promise<[library: string, names: string[]][]> {
  const folder = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const paths = Object.entries<{ "lathe-source": string }>(manifest.exports);
  const { metafile } = await build({
    entryPoints: paths.map(([, target]) => join(folder, target["lathe-source"])),
    outdir: folder,
    absWorkingDir: folder,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
    loader: { ".md": "text" },
  });
  const byFile = new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]));
  return paths.map(([path, target]) => {
    const names = byFile.get(target["lathe-source"].slice("./".length)) ?? [];
    return [`@lathe/${name}${path.slice(1)}`, names.sort()];
  });
}

describe("a file of the user's own", () => {
  it("brings its own modules and packages, in TypeScript and JavaScript", async () => {
    await files({
      "extension.ts": `
        import cjs, { two } from "old-package";
        import { one } from "new-package";
        import data from "./data.json";
        import { three } from "./parts";
        enum Colour { Red }
        if (one + two + three + data.four + Colour.Red + cjs.two !== 12) throw new Error("wrong sum");
        export default () => {};`,
      "parts/index.ts": "export const three: number = 3;",
      "data.json": '{"four": 4}',
      "node_modules/old-package/package.json": '{"main":"main.js"}',
      "node_modules/old-package/main.js": "exports.two = 2;",
      "node_modules/new-package/package.json": '{"type":"module","exports":"./main.js"}',
      "node_modules/new-package/main.js": "export const one = 1;",
    });
    expect(await load("extension.ts")).toMatchObject({ code: 0, stdout: "default: function\n", stderr: "" });
  });

  it.each([
    ["does not parse", "const a = 1;\nconst b = ;", "FILE:2:10 does not parse: Unexpected token."],
    [
      "throws",
      'export default 1;\nfunction f(): never {\n  throw new TypeError("no such\\nthing");\n}\nf();',
      "FILE threw while it was loading: TypeError: no such (FILE:3)",
    ],
    ["throws what is no error", 'throw "nothing";', "FILE threw while it was loading: nothing"],
    ["fails while it waits", 'await Promise.reject(new Error("late"));', /^FILE threw .*: Error: late \(FILE:1\)$/],
    ["lacks a default export", "export const a = 1;", 'FILE has no default export: add "export default …".'],
    [
      "needs a package",
      'import "@some/where/deep"; export default 1;',
      "FILE imports @some/where/deep, which is not installed. Run: npm install --prefix DIR @some/where",
    ],
    ["needs a file", 'import "./parts.ts"; export default 1;', "FILE imports ./parts.ts, which does not exist."],
  ])("that %s is one line", async (_, text, expected) => {
    await isOneLine(text, expected, load);
  });

  it.each([
    [
      "leaves a rejected promise to nobody",
      'void Promise.reject(new Error("stray")); export default 1;',
      "FILE threw while it was loading: Error: stray (FILE:1)",
    ],
    [
      "ends the process",
      "process.exit(0); export default 1;",
      "FILE ended the process while it was loading: remove the call of process.exit.",
    ],
    ["throws and leaves a timer", 'setInterval(() => {}, 1000); throw "up";', "FILE threw while it was loading: up"],
  ])("that %s is one line of the process", async (_, text, expected) => {
    await isOneLine(text, expected, loadBuilt);
  });

  async function isOneLine(text: string, expected: string | RegExp, loadFile: typeof load): Promise<void> {
    await files({ "extension.ts": text });
    const { code, stdout, stderr } = await loadFile("extension.ts");
    const line = stderr.replaceAll(join(box.dir, "extension.ts"), "FILE").replaceAll(box.dir, "DIR");
    expect(line).toMatch(/^lathe: [^\n]*\n$/);
    if (typeof expected === "string") expect(line).toBe(`lathe: ${expected}\n`);
    else expect(line.slice("lathe: ".length, -1)).toMatch(expected);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  }

  it("that is not there, or is a folder, is said", async () => {
    expect(await load("nowhere.ts")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^lathe: There is no file /),
    });
    expect(await load(".")).toMatchObject({ code: 1, stderr: expect.stringMatching(/ is not a file: name the file/) });
    expect(await box.run(["load-extension"])).toMatchObject({ code: 2 });
  });

  it("that leaves a timer does not keep the command", async () => {
    await files({ "extension.ts": "setInterval(() => {}, 1000); export default 1;" });
    expect(await loadBuilt("extension.ts")).toEqual({ code: 0, stdout: "default: number\n", stderr: "" });
  });

  it("that never finishes loading is given up", async () => {
    await files({ "extension.ts": "await new Promise(() => {}); export default 1;" });
    const waiting = loadExtension(join(box.dir, "extension.ts"), { cacheFolder: join(box.home, "c"), deadlineMs: 50 });
    await expect(waiting).rejects.toThrow(/was still loading after 0.05 s/);
  });

  it("costs a run without extensions nothing: what compiles them is not loaded", async () => {
    await files({ "extension.ts": "export default 1;" });
    const spied = async (args: readonly string[]): Promise<string> => {
      await box.runBuilt(args, { env: { NODE_OPTIONS: `--require ${SPY}` } });
      return readFile(join(box.dir, "loaded"), "utf8");
    };
    expect(await spied(["--model", "practice/basic", "-p", "show extension.ts"])).toBe("false");
    expect(await spied(["sessions", "list"])).toBe("false");
    expect(await spied(["load-extension", "extension.ts"])).toBe("true");
  });

  it("is compiled once, kept in Lathe's own folder and nowhere that others can write", async () => {
    await files({ "extension.ts": "export default (a: number): number => a;" });
    const temp = join(box.home, "tmp");
    await mkdir(temp);
    await loadBuilt("extension.ts", { TMPDIR: temp, JITI_FS_CACHE: "false", JITI_ALIAS: '{"@lathe/llm":"nowhere"}' });
    const cache = join(box.env["LATHE_HOME"] ?? "", "cache/extensions");
    expect((await stat(cache)).mode & 0o077).toBe(0);
    const [kept] = await readdir(cache);
    const before = await stat(join(cache, kept ?? ""));
    expect(await readdir(temp)).toEqual([]);
    expect(await load("extension.ts")).toMatchObject({ code: 0 });
    expect((await stat(join(cache, kept ?? ""))).mtimeMs).toBe(before.mtimeMs);
    await files({ "extension.ts": "export const changed = 1; export default 2;" });
    expect((await load("extension.ts")).stdout).toContain("changed: number");
  });
});
