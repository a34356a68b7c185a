import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { CallPaths } from "../../../contract/paths/call-paths.ts";
import { SchemeRegistry } from "../../../contract/seams/schemes.ts";
import { builtinFormats } from "../../../files/formats/index.ts";
import { Parser } from "../../../files/parser/parser.ts";
import { searchPage } from "../../../files/search/search.ts";
import type { Format } from "../../../files/target/format.ts";
import { hashlineEditTool } from "../hashline/index.ts";
import { searchTool } from "./index.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
});
afterEach(() => bench.close());

const file = async (name: string, content: string): Promise<void> => {
  await mkdir(dirname(join(bench.dir, name)), { recursive: true });
  await writeFile(join(bench.dir, name), content);
};
const search = (args: Parameters<typeof searchTool.execute>[0]) => bench.text(searchTool, args);
const headers = (text: string): string[] => [...text.matchAll(/^¶(.*?)(?:#[0-9A-F]{4})?$/gm)].map(([, path]) => path!);

/** A format of `name=text` lines with two texts per file. */
const pair: Format = {
  name: "pair",
  claims: (name) => name.endsWith(".pair"),
  separators: [":"],
  async read() {
    return { kind: "shown", text: "" };
  },
  async list(container) {
    const text = Buffer.from(await container.bytes()).toString();
    return text.split("\n\n").map((part) => {
      const [inner = "", ...lines] = part.split("\n");
      return { inner, size: part.length, text: async () => lines.join("\n") };
    });
  },
};

describe("search", () => {
  it("T-SEARCH-1 G-73 shows matches with what surrounds them, and an edit with the tag works without a read", async () => {
    await file("src/a.ts", "one\ntwo\nconst port = 1;\nfour\nfive\nsix\nseven\neight\nconst port = 9;\n");
    const text = await search({ pattern: "port", paths: ["src"] });
    const [, tag] = /^¶src\/a\.ts#([0-9A-F]{4})$/m.exec(text)!;
    expect(text).toBe(
      `¶src/a.ts#${tag}\n 2:two\n*3:const port = 1;\n 4:four\n 5:five\n 6:six\n…\n 8:eight\n*9:const port = 9;`,
    );
    await bench.call(hashlineEditTool, { input: `¶src/a.ts#${tag}\nreplace 3..3:\n+const port = 2;` });
    expect(await search({ pattern: "port = 2" })).toContain("*3:const port = 2;");
  });

  it("T-SEARCH-1 45 matching files: three pages by skip name each file once, also when files change in between", async () => {
    const names = Array.from({ length: 45 }, (_, i) => `f${String(i).padStart(2, "0")}.txt`);
    for (const name of names) await file(name, "hit\n");
    const first = await search({ pattern: "hit" });
    expect(first).toContain("[Files 1-20 of 45. Use skip=20 for the next page]");
    await rm(join(bench.dir, "f00.txt"));
    await file("f25.txt", "changed\n");
    await file("f01a.txt", "hit\n");
    const second = await search({ pattern: "hit", skip: 20 });
    expect(second).toContain("[No longer matching: f25.txt]");
    const third = await search({ pattern: "hit", skip: 40 });
    expect(third).not.toContain("next page");
    expect([first, second, third].flatMap(headers)).toEqual(names.filter((name) => name !== "f25.txt"));
    expect(await search({ pattern: "hit", skip: 60 })).toContain("No more files: 45 files matched");
  });

  it("T-SEARCH-1 pages cover each file once, whatever the files are called and in whichever order they match", async () => {
    const name = fc
      .string({
        unit: fc.constantFrom("a", "b", ":", ",", " ", ";", "é", "e\u0301", "-", ".", "#", "[", "¶"),
        minLength: 1,
        maxLength: 8,
      })
      .filter((text) => !/^\.{1,2}$|^ *$/.test(text) && !text.includes("\n"));
    const tree = fc.uniqueArray(fc.tuple(name, fc.nat(60)), {
      minLength: 1,
      maxLength: 50,
      selector: ([one]) => one.normalize(),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(tree, async (files) => {
        const folder = `round${++round}`;
        for (const [one, hits] of files) await file(`${folder}/${one}`, `${"hit\n".repeat(hits)}miss\n`);
        const expected = files.filter(([, hits]) => hits > 0).map(([one]) => `${folder}/${one}`);
        const seen: string[] = [];
        for (let skip: number | undefined = 0; skip !== undefined; ) {
          const { details } = await bench.call(searchTool, { pattern: "hit", paths: [folder], skip });
          const { fileMatches, nextSkip } = details as { fileMatches: { path: string }[]; nextSkip?: number };
          seen.push(...fileMatches.map(({ path }) => path));
          skip = nextSkip;
        }
        expect(seen.toSorted()).toEqual(expected.toSorted());
        // Each of them can be named alone.
        for (const path of expected.slice(0, 3)) {
          const { details } = await bench.call(searchTool, { pattern: "hit", paths: [path] });
          expect((details as { fileMatches: unknown }).fileMatches).toMatchObject([{ path }]);
        }
      }),
      { numRuns: process.env["LATHE_LONG"] ? 60 : 6 },
    );
  });

  it("G-73 one file with a thousand matches does not push out nine with five, and says how to go on", async () => {
    await file("big.txt", `${"hit of some length\n".repeat(1000)}`);
    for (let i = 0; i < 9; i++) await file(`small${i}.txt`, "hit\n".repeat(5));
    const text = await search({ pattern: "hit" });
    expect(headers(text)).toHaveLength(10);
    expect(text).toContain("[more matches follow; search big.txt:21-]");
    const alone = await search({ pattern: "hit", paths: ["big.txt:21-"] });
    expect(alone).toContain("*21:");
    expect(alone).not.toContain("*20:");
    expect(alone).toContain("[more matches follow; search big.txt:221-]");
  });

  it("T-SEARCH-1 a page that is too large ends before a file, and what was cut of it is in an artifact", async () => {
    for (let i = 0; i < 20; i++) await file(`f${10 + i}.txt`, `${"x".repeat(900)} hit ${"y".repeat(9000)}\n`.repeat(8));
    bench.services.searchContext = { before: 3, after: 4 };
    const { details } = await bench.call(searchTool, { pattern: "hit" });
    const { nextSkip, fileMatches } = details as { nextSkip: number; fileMatches: { path: string }[] };
    expect(nextSkip).toBe(fileMatches.length);
    const text = await search({ pattern: "hit" });
    expect(Buffer.byteLength(text)).toBeLessThan(52 << 10);
    expect(text).toContain(" hit y");
    expect(text).toContain("artifact://");
    expect(Buffer.concat(bench.artifacts.at(-1)!).toString()).toContain("y".repeat(9000));
  });

  it("T-SUB-4 G-73 the limits that a page reached are data, too, and a page within them has none", async () => {
    const limits = async (pattern: string) => (await bench.call(searchTool, { pattern })).details;
    for (let i = 0; i < 30; i++) await file(`f${i}.txt`, "hit\n".repeat(30));
    await file("long.txt", `${"x".repeat(900)} wide\n`);
    expect(await limits("hit")).toMatchObject({ meta: { limits: { match: 20, result: 20 } } });
    expect(await limits("wide")).toMatchObject({ meta: { limits: { column: 512 } } });
    expect(await limits("nowhere")).not.toHaveProperty("meta");
    await expect(search({ pattern: "hit", paths: [" "] })).rejects.toThrow(
      "`paths` must contain non-empty paths or globs",
    );
    await expect(search({ pattern: "hit", paths: ["nope"] })).rejects.toThrow("Path not found: nope");
    expect(await search({ pattern: "hit", paths: ["f1.txt", "nope"] })).toContain("[Skipped missing paths: nope]");
  });

  it("G-73 what models write instead of expressions works, and a hopeless one is refused in a line", async () => {
    const placeholder = `$${"{platform}"}`;
    await file("a.ts", `const at = ${placeholder};\nfoo(bar)\nx{2}\nclass A {}\naa\n`);
    expect(await search({ pattern: placeholder })).toContain("*1:");
    expect(await search({ pattern: "foo(" })).toContain("*2:foo(bar)");
    expect(await search({ pattern: "A {}" })).toContain("*4:class A {}");
    expect(await search({ pattern: "^a{2}$" })).toContain("*5:aa");
    expect(await search({ pattern: "at.*\\nfoo" })).toMatch(/\*1:.*\n\*2:foo/);
    await expect(search({ pattern: "[z-a]" })).rejects.toThrow(/^Invalid regex: /);
    await expect(search({ pattern: "  " })).rejects.toThrow("Pattern must not be empty");
    await expect(search({ pattern: "x", skip: -1 })).rejects.toThrow("Skip must be a non-negative number");
  });

  it("T-SEARCH-1 hidden files are searched, ignored ones on request only", async () => {
    await file(".gitignore", "out/\n");
    await file(".github/ci.yml", "hit\n");
    await file("out/a.js", "hit\n");
    expect(headers(await search({ pattern: "hit" }))).toEqual([".github/ci.yml"]);
    expect(headers(await search({ pattern: "hit", gitignore: false }))).toEqual([".github/ci.yml", "out/a.js"]);
    expect(await search({ pattern: "nowhere" })).toBe("No matches found");
  });

  it("T-SUB-5 several paths in one text are taken apart only when that is what is there", async () => {
    await file("src/a.ts", "hit\n");
    await file("test/b.ts", "hit\n");
    await file("a,b.txt", "hit\n");
    const found = async (...paths: string[]) => headers(await search({ pattern: "hit", paths }));
    expect(await found("src,test")).toEqual(["src/a.ts", "test/b.ts"]);
    expect(await found("src test")).toEqual(["src/a.ts", "test/b.ts"]);
    expect(await found("a,b.txt")).toEqual(["a,b.txt"]);
    expect(await found("src/*.ts;test/*.{ts,js}")).toEqual(["src/a.ts", "test/b.ts"]);
    expect(await found("a,*.txt")).toEqual(["a,b.txt"]);
    expect(await search({ pattern: "hit", paths: ["src,gone"] })).toContain("[Skipped missing paths: gone]");
    await expect(found("gone", "src gone2")).rejects.toThrow("Path not found: gone, src gone2");
    await expect(found("")).rejects.toThrow("`paths` must contain non-empty paths or globs");
    await expect(found("src:1-2")).rejects.toThrow("single file");
    await expect(found("*.txt:1-2")).rejects.toThrow("single file");
  });

  it("T-SEARCH-1 texts inside files and behind addresses are searched, with line ranges, and safely", async () => {
    bench.services.formats = [pair];
    bench.services.schemes = new SchemeRegistry({
      note: {
        hasSelectors: true,
        read: async (url) => `about ${url}\nhit\n`,
        list: async () => [{ url: "note://b" }, { url: "note://a" }],
      },
    });
    await file("two.pair", `a.txt\nno\nhit a\n\nsub/b.txt\nhit b\n${"a".repeat(60)}!`);
    expect(await search({ pattern: "hit", paths: ["two.pair"] })).toBe(
      `¶two.pair:a.txt\n 1:no\n*2:hit a\n\n¶two.pair:sub/b.txt\n*1:hit b\n 2:${"a".repeat(60)}!`,
    );
    expect(headers(await search({ pattern: "hit", paths: ["two.pair:a.txt"] }))).toEqual(["two.pair:a.txt"]);
    expect(headers(await search({ pattern: "hit", paths: ["note://"] }))).toEqual(["note://a", "note://b"]);
    expect(await search({ pattern: "about|hit", paths: ["note://a:2-"] })).toBe("¶note://a\n 1:about note://a\n*2:hit");
    await expect(search({ pattern: "x", paths: ["note://*"] })).rejects.toThrow("Glob patterns are not supported");
    await expect(search({ pattern: "^(a+)+$", paths: ["two.pair"] })).rejects.toThrow("takes too long");
  });

  it("T-SEARCH-1 declares what it reads before it is approved", async () => {
    await file("src/a.ts", "hit\n");
    const { CallPaths } = await import("../../../contract/paths/call-paths.ts");
    const signal = new AbortController().signal;
    const scope = { env: bench.env, signal, paths: new CallPaths(bench.env, signal), services: bench.services };
    expect(await searchTool.access!({ pattern: "x", paths: ["src/*.ts", "src/a.ts:1-2"] }, scope)).toEqual([
      { kind: "read", path: join(bench.dir, "src"), search: true, filter: "/*.ts" },
      { kind: "read", path: join(bench.dir, "src/a.ts"), search: true },
    ]);
  });

  it("T-SEARCH-1 the header of a notebook names the notebook, and an edit takes it", async () => {
    bench.services.formats = builtinFormats;
    const cell = { cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: "needle = 1" };
    await file("n.ipynb", JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 }));
    const [, tag] = /^¶n\.ipynb#([0-9A-F]{4})$/m.exec(await search({ pattern: "needle", paths: ["n.ipynb"] }))!;
    await bench.call(hashlineEditTool, { input: `¶n.ipynb#${tag}\nreplace 2..2:\n+needle = 2` });
    expect(await search({ pattern: "needle = 2", paths: ["n.ipynb"] })).toContain("*2:needle = 2");
  });

  it("T-SEARCH-1 a document is searched by its text, and a database is not said to have no matches", async () => {
    bench.services.formats = builtinFormats;
    const parser = new Parser();
    bench.services.parser = parser;
    await file("note.rtf", "{\\rtf1 first\\par the needle\\par}");
    await file("data.db", "SQLite format 3\0 needle");
    expect(await search({ pattern: "needle", paths: ["note.rtf"] })).toContain("the needle");
    await expect(search({ pattern: "needle", paths: ["data.db"] })).rejects.toThrow("not searched as text");
    await parser.close();
  });

  it("T-SEARCH-1 a bare file name is searched wherever it is", async () => {
    await file("src/deep/util.ts", "needle\n");
    await file("src/other.ts", "needle\n");
    expect(headers(await search({ pattern: "needle", paths: ["util.ts"] }))).toEqual(["src/deep/util.ts"]);
  });

  it("T-SEARCH-1 a search that takes too long is ended in one line, and an interrupt stays one", async () => {
    await file("a.txt", "needle\n");
    const query = { pattern: "needle", paths: ["."], caseInsensitive: false, gitignore: true, skip: 0, timeoutMs: 0 };
    const scope = (signal: AbortSignal) => {
      return { env: bench.env, signal, paths: new CallPaths(bench.env, signal), services: bench.services };
    };
    const search = searchPage(query, scope(new AbortController().signal));
    await expect(search).rejects.toThrow("The search took longer than 0 s and was ended. Name a narrower directory");
    await expect(searchPage(query, scope(AbortSignal.abort()))).rejects.toThrow("aborted");
  });
});
