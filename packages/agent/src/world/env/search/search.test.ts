// Both engines over the same trees: every expectation holds for ripgrep and for the in-process fallback.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalEnvironment } from "../local.ts";
import { MemoryEnvironment } from "../memory.ts";
import type { GlobOptions, GrepOptions } from "../types.ts";

const CORPUS: Record<string, string | Buffer> = {
  ".gitignore": "*.log\n/build/\nnode_modules/\n!keep.log\n# comment\ndocs/**/draft-*\n\\#odd\ntrail \n",
  ".hidden/secret.ts": "needle hidden\n",
  ".env": "needle env\n",
  "app.log": "needle log\n",
  "keep.log": "needle kept\n",
  "#odd": "needle odd\n",
  "a.txt": "needle one\nplain\nneedle two\n",
  "a/x.txt": "needle in a\n",
  "a-b.txt": "needle dash\n",
  "bin.dat": Buffer.from("needle\0binary\n"),
  "build/out.ts": "needle built\n",
  "late.bin": Buffer.concat([
    Buffer.from("needle early\n"),
    Buffer.alloc(200_000, "x\n"),
    Buffer.from("\0needle late\n"),
  ]),
  "crlf.txt": "first\r\nneedle crlf\r\nlast\r\n",
  "docs/a/draft-1.md": "needle draft\n",
  "docs/draft-0.md": "needle draft0\n",
  "docs/guide.md": "Needle upper\ncafé needle\nnaïve\n",
  "node_modules/pkg/index.js": "needle dep\n",
  "sub/.gitignore": "local.*\n!/deep/local.txt\n",
  "sub/build/in.ts": "needle sub build\n",
  "sub/deep/local.txt": "needle unignored\n",
  "sub/local.txt": "needle ignored\n",
  "sub/code.ts": "export interface{} {}\nfoo(bar)\nconst x = a[0] + b.c;\n\tneedle tab\n",
  "sub/code.tsx": "needle tsx\n",
  "utf16.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("needle sixteen\n", "utf16le")]),
  "bom.txt": "\uFEFFneedle bom\n",
  "long.txt": `${"y".repeat(5000)} needle ${"z".repeat(5000)}\n`,
  "latin.txt": Buffer.from("needle caf\xe9\n", "latin1"),
  "nonl.txt": "x\nneedle end",
  "empty.txt": "",
  "odd [name].txt": "needle brackets\n",
};

it("TL-05 an expression that would run forever is refused by the in-process engine", async () => {
  const line = `${"a".repeat(60)}b`;
  const memory = new MemoryEnvironment({ files: { "a.txt": line } });
  const refused = { code: "bad_pattern", message: expect.stringContaining("takes too long") };
  // Each pattern takes two seconds.
  const others = process.env["LATHE_LONG"] ? [`^${"a?".repeat(40)}${"a".repeat(40)}$`] : [];
  for (const pattern of ["^(a+)+$", ...others]) {
    await expect(memory.grep(pattern, ".", {}), pattern).rejects.toMatchObject(refused);
  }
  expect((await memory.grep("^a+b$", ".", {})).lines).toEqual([`a.txt:1:${line}`]);
});

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "lathe-search-"));
  for (const [path, content] of Object.entries(CORPUS)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, ".git/needle"), "needle git\n");
  symlinkSync("a.txt", join(root, "link.txt"));
  symlinkSync("sub", join(root, "linkdir"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const local = (search: "ripgrep" | "builtin") => new LocalEnvironment({ cwd: root, baseEnv: process.env, search });

describe.each(["ripgrep", "builtin"] as const)("%s", (engine) => {
  const grep = (pattern: string, path = ".", options: GrepOptions = {}) => local(engine).grep(pattern, path, options);
  const glob = async (pattern: string, path = ".") => (await local(engine).glob(pattern, path)).paths;

  it("TL-05 finds lines, leaving out gitignored, hidden and binary files", async () => {
    const { lines, truncated } = await grep("needle", ".", { mode: "files_with_matches" });
    expect(truncated).toBe(false);
    expect(lines).toEqual([
      "a/x.txt",
      "a-b.txt",
      "a.txt",
      "bom.txt",
      "crlf.txt",
      "docs/guide.md",
      "keep.log",
      "late.bin",
      "latin.txt",
      "long.txt",
      "nonl.txt",
      "odd [name].txt",
      "sub/build/in.ts",
      "sub/code.ts",
      "sub/code.tsx",
      "sub/deep/local.txt",
      "utf16.txt",
    ]);
  });

  it("TL-05 a file that is left out is not searched, and says nothing through the number of results", async () => {
    const seen: string[] = [];
    const leaveOut = (path: string) => seen.push(path) > 0 && path.startsWith(join(root, "a"));
    for (const [mode, expected] of [
      ["content", ["crlf.txt:2:needle crlf"]],
      ["files_with_matches", ["crlf.txt"]],
      ["count", ["crlf.txt:1"]],
    ] as const)
      expect(await grep("needle (one|two|in a|dash|crlf)", ".", { leaveOut, mode, maxResults: 1 })).toMatchObject({
        lines: expected,
        truncated: false,
      });
    expect(seen.every((path) => path.startsWith(`${root}/`))).toBe(true);
    expect((await grep("needle", "a.txt", { leaveOut: () => true })).lines).toEqual([]);
  });

  it("TL-05 shows path:line:text, relative to the working directory", async () => {
    expect((await grep("needle", "a.txt")).lines).toEqual(["a.txt:1:needle one", "a.txt:3:needle two"]);
    expect((await grep("needle", "sub/deep")).lines).toEqual(["sub/deep/local.txt:1:needle unignored"]);
    expect((await grep("needle", join(root, "a"))).lines).toEqual(["a/x.txt:1:needle in a"]);
  });

  it("TL-05 line ends, byte order marks and other encodings do not show", async () => {
    expect((await grep("crlf$", "crlf.txt")).lines).toEqual(["crlf.txt:2:needle crlf"]);
    expect((await grep("^needle bom$", "bom.txt")).lines).toEqual(["bom.txt:1:needle bom"]);
    expect((await grep("sixteen", ".")).lines).toEqual(["utf16.txt:1:needle sixteen"]);
    expect((await grep("needle caf", "latin.txt")).lines).toEqual(["latin.txt:1:needle caf\uFFFD"]);
  });

  it("TL-05 counts and lists by mode", async () => {
    expect((await grep("needle", ".", { mode: "count", globFilter: "a*.txt" })).lines).toEqual([
      "a-b.txt:1",
      "a.txt:2",
    ]);
    expect((await grep("needle", "a.txt", { mode: "count" })).lines).toEqual(["a.txt:2"]);
    expect((await grep("needle", "a.txt", { mode: "files_with_matches" })).lines).toEqual(["a.txt"]);
  });

  it("TL-05 max_results stops after that many and says so", async () => {
    const cut = await grep("needle", ".", { maxResults: 3 });
    expect(cut).toMatchObject({
      lines: ["a/x.txt:1:needle in a", "a-b.txt:1:needle dash", "a.txt:1:needle one"],
      truncated: true,
    });
    expect((await grep("needle", "a.txt", { maxResults: 2 })).truncated).toBe(false);
    expect((await grep("needle", "a.txt", { maxResults: 1 })).truncated).toBe(true);
    expect((await grep("needle", ".", { maxResults: 2, mode: "count" })).lines).toEqual(["a/x.txt:1", "a-b.txt:1"]);
  });

  it("TL-05 context lines are marked and groups parted", async () => {
    const { lines } = await grep("a\\[0\\]|one", ".", { before: 1, after: 1, globFilter: "{a.txt,sub/code.ts}" });
    expect(lines).toEqual([
      "a.txt:1:needle one",
      "a.txt-2-plain",
      "--",
      "sub/code.ts-2-foo(bar)",
      "sub/code.ts:3:const x = a[0] + b.c;",
      "sub/code.ts-4-\tneedle tab",
    ]);
    const cut = await grep("needle", "a.txt", { before: 1, after: 1, maxResults: 1 });
    expect(cut).toMatchObject({ lines: ["a.txt:1:needle one", "a.txt-2-plain"], truncated: true });
  });

  it("TL-05 a filter takes names, paths, braces and exclusions without reviving ignored files", async () => {
    const files = async (globFilter: string) =>
      (await grep("needle", ".", { globFilter, mode: "files_with_matches" })).lines;
    expect(await files("*.log")).toEqual(["keep.log"]);
    expect(await files("*.{ts,tsx}")).toEqual(["sub/build/in.ts", "sub/code.ts", "sub/code.tsx"]);
    expect(await files("sub/**/*.ts")).toEqual(["sub/build/in.ts", "sub/code.ts"]);
    expect(await files("!*.t*")).toEqual(["docs/guide.md", "keep.log", "late.bin"]);
  });

  it("TL-05 patterns mean the same in both engines", async () => {
    const lines = async (pattern: string, options: GrepOptions = {}) => (await grep(pattern, ".", options)).lines;
    expect(await lines("interface{}")).toEqual(["sub/code.ts:1:export interface{} {}"]);
    expect(await lines("foo\\(\\w+\\)")).toEqual(["sub/code.ts:2:foo(bar)"]);
    expect(await lines("café\\b")).toEqual(["docs/guide.md:2:café needle"]);
    expect(await lines("\\bna\\wve\\b")).toEqual(["docs/guide.md:3:naïve"]);
    expect(await lines("(?i)NEEDLE UPPER")).toEqual(["docs/guide.md:1:Needle upper"]);
    expect(await lines("needle upper", { caseInsensitive: true })).toEqual(["docs/guide.md:1:Needle upper"]);
    expect(await lines("^[[:upper:]]\\w{3,}e u")).toEqual(["docs/guide.md:1:Needle upper"]);
    expect(await lines("(?P<q>n)eedle (?=tsx)")).toEqual(["sub/code.tsx:1:needle tsx"]);
    expect(await lines("[^\\x00-\\x7F]ve$")).toEqual(["docs/guide.md:3:naïve"]);
    expect(await lines("\\p{Lu}eedle")).toEqual(["docs/guide.md:1:Needle upper"]);
    expect(await lines("[a-z&&[^b-z]]\\[0")).toEqual(["sub/code.ts:3:const x = a[0] + b.c;"]);
    expect(await lines("b\\.c;$")).toEqual(["sub/code.ts:3:const x = a[0] + b.c;"]);
    expect(await lines("-> nothing")).toEqual([]);
  });

  it("T-SEARCH-1 hidden and ignored files on request, never .git", async () => {
    const files = async (options: GrepOptions) =>
      (await grep("needle (hidden|env|log|dep|git|one)", ".", { mode: "files_with_matches", ...options })).lines;
    expect(await files({ hidden: true })).toEqual([".env", ".hidden/secret.ts", "a.txt"]);
    expect(await files({ gitignore: false })).toEqual(["a.txt", "app.log", "node_modules/pkg/index.js"]);
    expect(await files({ hidden: true, gitignore: false })).toHaveLength(5);
    const names = async (options: GlobOptions) => [
      ...(await local(engine).glob("**/*.{log,env,ts}", ".", options)).paths,
    ];
    expect((await names({ hidden: false })).sort()).toEqual(["keep.log", "sub/build/in.ts", "sub/code.ts"]);
    expect(await names({ gitignore: false })).toEqual(
      expect.arrayContaining(["app.log", "build/out.ts", ".hidden/secret.ts"]),
    );
    expect((await local(engine).glob("**/*", ".", { gitignore: false })).paths).not.toContain(".git/needle");
  });

  it("T-SEARCH-1 by file: so many matches of each, so many files, lines before and after, some lines only", async () => {
    const found = await grep("needle", ".", { perFile: 1, maxResults: 3, before: 1, after: 2 });
    expect(found.truncated).toBe(true);
    expect(found.files.map(({ path, hits }) => [path, hits])).toEqual([
      ["a/x.txt", 1],
      ["a-b.txt", 1],
      ["a.txt", 2],
    ]);
    expect(found.files[2]!.lines.map(({ number, isMatch }) => [number, isMatch])).toEqual([
      [1, true],
      [2, false],
    ]);
    const some = await grep("e", "sub/code.ts", { within: [{ first: 3 }], before: 1 });
    expect(some.lines).toEqual(["sub/code.ts-3-const x = a[0] + b.c;", "sub/code.ts:4:\tneedle tab"]);
    expect((await grep("needle", "a.txt", { within: [{ first: 1, last: 2 }], perFile: 1 })).files[0]!.hits).toBe(1);
  });

  it("T-SEARCH-1 a match may cross line ends when that is asked for, whatever the ends are", async () => {
    const across = async (pattern: string, path = ".") => (await grep(pattern, path, { multiline: true })).lines;
    expect(await across("one\\nplain\\nneedle")).toEqual(["a.txt:1:needle one", "a.txt:2:plain", "a.txt:3:needle two"]);
    expect(await across("^first$\n^needle", "crlf.txt")).toEqual(["crlf.txt:1:first", "crlf.txt:2:needle crlf"]);
    expect(await across("needle \\w+$", "a.txt")).toEqual(["a.txt:1:needle one", "a.txt:3:needle two"]);
    const cut = await grep("needle.*\\n", "a.txt", { multiline: true, perFile: 1 });
    expect(cut.files).toEqual([{ path: "a.txt", hits: 2, lines: [{ number: 1, text: "needle one", isMatch: true }] }]);
  });

  it("T-FIND-1 folders that match come behind the files, and enough is enough", async () => {
    const { paths } = await local(engine).glob("sub/*", ".", { directories: true });
    expect(paths.slice(-2)).toEqual(["sub/build/", "sub/deep/"]);
    expect(paths).toContain("sub/code.ts");
    const enough = AbortSignal.abort();
    expect((await local(engine).glob("**/*", ".", { enough })).truncated).toBe(true);
  });

  it("TL-05 long lines are cut with a note", async () => {
    const [line] = (await grep("needle", "long.txt")).lines;
    expect(line).toBe(
      `long.txt:1:[4701 characters before ...] ${"y".repeat(299)} needle ${"z".repeat(693)} [... 4307 more characters]`,
    );
    const [start] = (await grep("y+", "long.txt")).lines;
    expect(start).toBe(`long.txt:1:${"y".repeat(1000)} [... 9008 more characters]`);
  });

  it("TL-05 a line break in a file's name does not split its count", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-names-"));
    writeFileSync(join(folder, "a\nb.txt"), "needle\nneedle\n");
    writeFileSync(join(folder, "c.txt"), "needle\n");
    const env = new LocalEnvironment({ cwd: folder, baseEnv: process.env, search: engine });
    expect((await env.grep("needle", ".", { mode: "count" })).lines).toEqual(["a\nb.txt:2", "c.txt:1"]);
    rmSync(folder, { recursive: true });
  });

  it("TL-05 a line of many megabytes is found without being carried whole", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-giant-"));
    try {
      writeFileSync(join(folder, "giant.json"), `first\n${"x".repeat(9 << 20)} needle\nneedle after\n`);
      const env = new LocalEnvironment({ cwd: folder, baseEnv: process.env, search: engine });
      for (const path of [".", "giant.json"]) {
        const found = (await env.grep("needle", path, {})).lines;
        expect(found.map((line) => line.slice(0, 15))).toEqual([
          `giant.json:2:${engine === "ripgrep" ? "[a" : "[9"}`,
          "giant.json:3:ne",
        ]);
        expect(found[0]!.length).toBeLessThan(1100);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(["(", "[z-a]", "*x", "a\\", "needle\\nplain"])(
    "TL-05 the pattern %s is refused with the reason",
    async (bad) => {
      await expect(grep(bad)).rejects.toMatchObject({ code: "bad_pattern", message: expect.stringContaining(bad) });
    },
  );

  it("TL-06 a directory is all that is in it, brackets can be escaped, the whole disk is refused", async () => {
    expect(await glob("sub/deep/")).toEqual(["sub/deep/local.txt"]);
    expect(await glob("odd \\[name\\].*")).toEqual(["odd [name].txt"]);
    mkdirSync(join(root, "[id]"), { recursive: true });
    writeFileSync(join(root, "[id]/page.tsx"), "");
    expect(await glob("\\[id\\]/*.tsx")).toEqual(["[id]/page.tsx"]);
    expect(await glob("\\[id\\]/page.tsx")).toEqual(["[id]/page.tsx"]);
    rmSync(join(root, "[id]"), { recursive: true });
    await expect(glob("/")).rejects.toMatchObject({ code: "bad_pattern" });
  });

  it("TL-05 TL-06 a colon in a pattern is a colon", async () => {
    expect(await glob("**/*:*")).toEqual([]);
    expect(await glob("a.txt:3")).toEqual([]);
    expect((await grep("needle", ".", { globFilter: "a:b.txt" })).lines).toEqual([]);
  });

  it("TL-05 TL-06 a missing path is named", async () => {
    await expect(grep("x", "gone")).rejects.toMatchObject({ code: "not_found", path: join(root, "gone") });
    await expect(glob("*", "gone")).rejects.toMatchObject({ code: "not_found" });
    await expect(glob("*", "a.txt")).rejects.toMatchObject({ code: "not_directory" });
  });

  it("TL-05 an ignored directory is searched when it is named", async () => {
    expect((await grep("needle", "node_modules/pkg")).lines).toEqual(["node_modules/pkg/index.js:1:needle dep"]);
    expect((await grep("needle", "app.log")).lines).toEqual(["app.log:1:needle log"]);
    expect((await grep("needle", "bin.dat")).lines).toEqual([]);
  });

  it("TL-06 newest first, ties by name", async () => {
    const at = (path: string, seconds: number) => utimesSync(join(root, path), seconds, seconds);
    at("sub/code.ts", 3000);
    at("sub/code.tsx", 1000);
    at("sub/build/in.ts", 2000);
    at("sub/.gitignore", 1000);
    expect(await glob("sub/**/*.ts")).toEqual(["sub/code.ts", "sub/build/in.ts"]);
    expect(await glob("**/{code.*,.gitignore}", "sub")).toEqual(["sub/code.ts", "sub/.gitignore", "sub/code.tsx"]);
    expect(await local(engine).glob("*.ts*", "sub", { maxResults: 1 })).toEqual({
      paths: ["sub/code.ts"],
      truncated: true,
    });
  });

  it("TL-06 star stays in a directory, two stars cross; gitignored and .git are omitted, hidden files are not", async () => {
    const sorted = async (pattern: string, path?: string) => [...(await glob(pattern, path))].sort();
    expect(await sorted("*.log")).toEqual(["keep.log"]);
    expect(await sorted("*/x.txt")).toEqual(["a/x.txt"]);
    expect(await sorted("**/*.md")).toEqual(["docs/guide.md"]);
    expect(await sorted("**/*e*cret*")).toEqual([".hidden/secret.ts"]);
    expect(await sorted(".e?v")).toEqual([".env"]);
    expect(await sorted("a[-.]*.txt")).toEqual(["a-b.txt"]);
    expect(await sorted("sub/deep/local.txt")).toEqual(["sub/deep/local.txt"]);
    expect(await sorted(`${root}/sub/*.tsx`)).toEqual(["sub/code.tsx"]);
    expect(await sorted("odd \\[name\\].txt")).toEqual(["odd [name].txt"]);
    expect(await sorted("nowhere/*.ts")).toEqual([]);
    expect(await sorted("**/needle")).toEqual([]);
  });

  it.each(["a{b", "[ab", ""])("TL-06 the pattern '%s' is refused", async (bad) => {
    await expect(glob(bad)).rejects.toMatchObject({ code: "bad_pattern" });
  });
});

describe("both engines", () => {
  it("TL-05 the same results for many patterns, modes and limits", async () => {
    const patterns = [
      "needle",
      "e",
      "^$",
      "x$",
      "needle|plain",
      "\\s",
      "\\d",
      "[^a-z]",
      ".",
      "n.*e",
      "(?i)Needle",
      "\\W\\w\\W",
    ];
    for (const [place, pattern] of patterns.entries()) {
      for (const [row, mode] of (["content", "count", "files_with_matches"] as const).entries()) {
        for (const [column, maxResults] of [1, 7, 1000].entries()) {
          // Pairs of pattern, mode and limit; all combinations only in a long run.
          if (!process.env["LATHE_LONG"] && (place + row + column) % 3 !== 0) continue;
          const options = { mode, maxResults, before: maxResults === 7 ? 2 : 0, after: maxResults === 7 ? 1 : 0 };
          const [fast, own] = await Promise.all([
            local("ripgrep").grep(pattern, ".", options),
            local("builtin").grep(pattern, ".", options),
          ]);
          expect(own, `${pattern} ${mode} ${maxResults}`).toEqual(fast);
        }
      }
    }
  });

  it("TL-05 without ripgrep the environment answers all the same", async () => {
    const files = Object.fromEntries(Object.entries(CORPUS).filter(([path]) => !path.startsWith(".hidden")));
    const memory = new MemoryEnvironment({ cwd: root, files });
    expect(await memory.grep("needle", ".", {})).toEqual(await local("ripgrep").grep("needle", ".", {}));
  });
});
