// Structural search and rewriting over real files, with the real library in the real parser process.

import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PendingAction } from "../../src/contract/pending-actions.ts";
import { Parser } from "../../src/files/parser/parser.ts";
import { astEditTool } from "../../src/tools/builtin/ast-edit/index.ts";
import { astGrepTool, taggedAstGrepTool } from "../../src/tools/builtin/ast-grep/index.ts";
import { resolveTool } from "../../src/tools/builtin/resolve/index.ts";
import { PendingActions } from "../../src/tools/pending-actions/pending-actions.ts";
import { type Bench, toolBench } from "../call-tool.ts";

/** Without a collection in between, eight take more memory than the process may have. */
const LARGE_FILES = process.env["LATHE_LONG"] ? 8 : 2;

let bench: Bench;
let parser: Parser;
let pending: PendingActions;
let folders = 0;
beforeAll(async () => {
  bench = await toolBench();
  parser = new Parser();
  bench.services.parser = parser;
});
beforeEach(() => {
  pending = new PendingActions({ isOffered: () => true, force: () => {}, guard: () => {}, warn: () => {} });
  bench.services.pendingActions = pending;
});
afterAll(async () => {
  await parser.close();
  await bench.close();
});

/** A folder for one test with these files; returns their paths. */
async function folder(files: Record<string, string | Uint8Array>): Promise<(name: string) => string> {
  const name = `f${folders++}`;
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(bench.dir, name, file)), { recursive: true });
    writeFileSync(join(bench.dir, name, file), content);
  }
  return (file) => `${name}/${file}`;
}
const bytesOf = (path: string): string => readFileSync(join(bench.dir, path)).toString("latin1");
const failure = (call: Promise<string>): Promise<string> => call.then(String, (error: Error) => error.message);
const grep = (pat: string, paths: readonly string[], more: object = {}): Promise<string> =>
  failure(bench.text(astGrepTool, { pat, paths, ...more }));
const edit = (ops: readonly { pat: string; out: string }[], paths: readonly string[], more: object = {}) =>
  failure(bench.text(astEditTool, { ops, paths, ...more }));
const settle = (action: "apply" | "discard"): Promise<string> =>
  failure(bench.text(resolveTool(pending), { action, reason: "tested" }));

describe("ast_grep", () => {
  it("T-AST-1 metavariables: one node, the same node twice, any node, any number of nodes", async () => {
    const f = await folder({ "a.ts": "eq(a, a);\neq(a, b);\neq();\nf(() => {\n  g(1, 2, 3);\n});\n" });
    expect(await grep("eq($A, $A)", [f("a.ts")])).toBe(`¶${f("a.ts")}\n*1:eq(a, a);`);
    expect(await grep("eq($_, $_)", [f("a.ts")])).toBe(`¶${f("a.ts")}\n*1:eq(a, a);\n*2:eq(a, b);`);
    expect(await grep("eq($$$ALL)", [f("a.ts")])).toContain("*3:eq();");
    expect(await grep("g($$$, 3)", [f("")])).toBe(`¶${f("a.ts")}\n*5:  g(1, 2, 3);`);
  });

  it("T-AST-1 several languages are searched together; hidden files are, ignored ones and node_modules only when named", async () => {
    const call = "run(1)\n";
    const f = await folder({
      ...{
        "a.ts": call,
        "b.tsx": call,
        "c.py": call,
        "d.go": `package d\nfunc f() {\n\trun(1)\n}\n`,
        "e.rs": "fn f() { run(1); }\n",
      },
      ...{ ".hidden/h.js": call, "out/i.js": call, "node_modules/p/j.js": call, ".gitignore": "out\n", "n.md": call },
    });
    const files = (text: string): string[] => [...text.matchAll(/^¶(.*)$/gm)].map(([, name]) => name as string);
    expect(files(await grep("run($A)", [f("")]))).toEqual(
      [".hidden/h.js", "a.ts", "b.tsx", "c.py", "d.go", "e.rs"].map(f),
    );
    expect(files(await grep("run($A)", [f("**/node_modules/**/*.js"), f("out/i.js")]))).toEqual([
      ...["node_modules/p/j.js", "out/i.js"].map(f),
    ]);
    expect(files(await grep("run($A)", [f("")], { lang: "py" }))).toEqual([f("c.py")]);
    expect(await grep("run($A)", [f("")], { lang: "markdown" })).toContain("npm install @ast-grep/lang-markdown");
  });

  it("T-AST-1 matches come in pages, and a tag of the content where edits use it", async () => {
    const f = await folder({ "many.js": "hit(1)\n".repeat(250) });
    const [first, last] = [await grep("hit($A)", [f("many.js")]), await grep("hit($A)", [f("many.js")], { skip: 200 })];
    expect(first).toContain("[Matches 1-100 of 250 in 1 file. Use skip=100 for more]");
    expect(last.split("\n").slice(1)).toEqual(Array.from({ length: 50 }, (_, i) => `*${201 + i}:hit(1)`));
    expect(await grep("hit($A)", [f("many.js")], { skip: 250 })).toBe("No more matches: there are 250.");
    expect(await bench.text(taggedAstGrepTool, { pat: "hit(2)", paths: [f("many.js")] })).toBe("No matches found");
    expect(await bench.text(taggedAstGrepTool, { pat: "hit(1)", paths: [f("many.js")] })).toMatch(
      /^¶\S+many\.js#\w+\n\*1:/,
    );
  });

  it("T-AST-1 what cannot be searched is one line that says what to do", async () => {
    const f = await folder({
      ...{ "a.ts": "one(1)\n", "b.rb": "one(1)\n", "c.txt": "one(1)\n", "huge.js": "one(1);\n".repeat(200_000) },
      ...{ "binary.js": Buffer.from([111, 110, 101, 0, 1]), "deep.ts": `one(1);${"(".repeat(100_000)}` },
    });
    expect(await grep("", [f("a.ts")])).toBe("The pattern must not be empty.");
    expect(await grep("$A", [f("a.ts")])).toBe(
      "$A alone matches every piece of code. Write more of the code around it.",
    );
    expect(await grep("one(", [f("a.ts")])).toBe(
      "The pattern one( does not parse as TypeScript: it is not a whole expression, statement or declaration.",
    );
    expect(await grep("a() { } b() { }", [f("")], { lang: "ts" })).toMatch(
      /^The pattern .* does not parse as TypeScript: /,
    );
    expect(await grep("one($A)", [f("b.rb")])).toBe(
      "Ruby files need the package @ast-grep/lang-ruby, not installed here: npm install @ast-grep/lang-ruby.",
    );
    expect(await grep("one($A)", [f("c.txt")])).toContain(
      "the language of this file is not known. Name it with `lang`.",
    );
    expect(await grep("one($A)", [f("c.txt")], { lang: "ts" })).toBe(`¶${f("c.txt")}\n*1:one(1)`);
    expect(await grep("one($A)", [f("")], { lang: "klingon" })).toMatch(
      /^No language is called klingon\. There are: typescript, /,
    );
    expect(await grep("one($A)", [f("nowhere")])).toBe(`Path not found: ${f("nowhere")}`);
    expect(await grep("two($A)", [f("")])).toBe("No matches found");
    expect(await grep("two($A)", [f("a.ts")])).toBe("No matches found");
    expect(await grep("one($A)", [f("binary.js")])).toBe(
      `No matches found\n[Not searched, because it is not text of at most 1 MB: ${f("binary.js")}]`,
    );
    const all = await grep("one($A)", [f("")]);
    expect(all).toContain(`[Not searched, because it is not text of at most 1 MB: ${f("huge.js")}]`);
    expect(all).toContain("[1 file of Ruby not searched: Ruby files need the package @ast-grep/lang-ruby");
    expect(all).toContain(`¶${f("a.ts")}\n*1:one(1)`);
  });

  it("T-AST-1 large files, one after another, fit into the memory of the parser process", async () => {
    const text = "foo(bar(1, [2, 3]), { a: x.y.z });\n".repeat(29_000);
    const f = await folder(Object.fromEntries(Array.from({ length: LARGE_FILES }, (_, i) => [`l${i}.ts`, text])));
    const { details } = await bench.call(astGrepTool, { pat: "foo(1)", paths: [f("")] });
    expect(details).toMatchObject({ matches: 0, searched: LARGE_FILES });
  });

  it("T-AST-1 an interrupt ends the parser process in the middle of its work, and the next call works", async () => {
    const f = await folder({ "a.ts": `${"f(g(1), [2, 3], { a: 4 });\n".repeat(8_000)}one(1)\n` });
    const stop = new AbortController();
    const call = bench.call(astGrepTool, { pat: "$A($$$B)", paths: [f("")] }, stop.signal);
    const timer = setTimeout(() => stop.abort(), 200);
    await call.catch(() => {});
    clearTimeout(timer);
    expect(await grep("one($A)", [f("")])).toContain("*8001:one(1)");
  });
});

describe("ast_edit", () => {
  it("T-AST-2 G-71 the call changes nothing and shows each change; apply writes exactly it, discard nothing", async () => {
    const text = "import 'x';\r\n  log('ä😀', [\r\n    1,\r\n  ]);\r\n// log(1)\r\nlog();\r\n";
    const f = await folder({ "a.ts": Buffer.from(`\uFEFF${text}`), "b.ts": "log(1); keep();\n", "c.ts": "keep();\n" });
    const before = bytesOf(f("a.ts"));
    const shown = await edit([{ pat: "log($$$A)", out: "print(now(), $$$A)" }], [f("")]);
    expect(shown).toBe(
      [
        "Would make 3 replacements in 2 files:",
        ...[f("a.ts"), "-2:3 log('ä😀', [", "+2:3 print(now(), 'ä😀', [", "-6:1 log()", "+6:1 print(now(), )"],
        ...[f("b.ts"), "-1:1 log(1)", "+1:1 print(now(), 1)"],
      ].join("\n"),
    );
    expect(bytesOf(f("a.ts"))).toBe(before);
    expect(await settle("discard")).toBe("Discarded: 3 replacements in 2 files. Reason: tested");
    expect(bytesOf(f("a.ts"))).toBe(before);
    await edit([{ pat: "log($$$A)", out: "print(now(), $$$A)" }], [f("")]);
    expect(await settle("apply")).toBe("Applied 3 replacements in 2 files.");
    const after = text.replace("log('", "print(now(), '").replace("\nlog()", "\nprint(now(), )");
    expect(bytesOf(f("a.ts"))).toBe(Buffer.from(`\uFEFF${after}`).toString("latin1"));
    expect(bytesOf(f("b.ts"))).toBe("print(now(), 1); keep();\n");
    expect(await settle("apply")).toBe("No pending action to resolve. Nothing to apply or discard.");
  });

  it("T-AST-2 G-71 several ops, deletion, and code that is put into other lines with its indentation", async () => {
    const f = await folder({
      "a.py": "def f():\n    go(1)\n    if a:\n        x = [\n            1,\n        ]\n    bad()\n",
    });
    const ops = [
      { pat: "go($A)", out: "stay($A)" },
      { pat: "bad()", out: "" },
      { pat: "if $C:\n    $$$B", out: "with $C:\n    if True:\n        $$$B" },
    ];
    await edit(ops, [f("*.py")]);
    expect(await settle("apply")).toBe("Applied 3 replacements in 1 file.");
    expect(bytesOf(f("a.py"))).toBe(
      "def f():\n    stay(1)\n    with a:\n        if True:\n            x = [\n                1,\n            ]\n    \n",
    );
  });

  it("T-AST-2 G-71 what cannot be rewritten is one line, and nothing is left pending", async () => {
    const f = await folder({
      ...{ "a.ts": "foo(foo(1));\n", "b.py": "bar(1)\n", "c.ts": "bar(1)\n", "broken.ts": "bar(1); class {{{ ]\n" },
      ...{ "d/e.ts": "bar(2)\n", "d/broken.ts": "bar(1); class {{{ ]\n" },
    });
    expect(await edit([{ pat: "foo($A)", out: "baz($A)" }], [f("a.ts")])).toBe(
      `Overlapping replacements detected; refine pattern to avoid ambiguous edits (${f("a.ts")}:1).`,
    );
    expect(await edit([{ pat: "bar($A)", out: "baz($A)" }], [f("")])).toBe(
      "These paths have files of several languages: Python (1), TypeScript (4). Name one with `lang`, or narrow `paths`.",
    );
    expect(await edit([{ pat: "bar($A)", out: "baz($B)" }], [f("c.ts")])).toContain(
      "the pattern captures no $B, which `out` uses",
    );
    const twice = [
      { pat: "bar($A)", out: "1" },
      { pat: "bar($A)", out: "2" },
    ];
    expect(await edit(twice, [f("c.ts")])).toBe("Two of the ops have the same pattern: bar($A)");
    expect(await edit([{ pat: "", out: "x" }], [f("c.ts")])).toBe("The pattern must not be empty.");
    expect(await edit([{ pat: "none($A)", out: "x" }], [f("c.ts")])).toBe("No replacements made");
    expect(await edit([{ pat: "bar($A)", out: "bar($A)" }], [f("c.ts")])).toBe("No replacements made");
    expect(pending.next).toBeUndefined();
    expect(await edit([{ pat: "bar($A)", out: "baz($A)" }], [f("d")])).toContain(
      `[Skipped, because of syntax errors: ${f("d/broken.ts")}]`,
    );
    expect(pending.next?.label).toBe("1 replacement in 1 file");
  });

  it("T-AST-2 G-71 one file too many, and the limit is said", async () => {
    const f = await folder(Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`m${i}.ts`, "cap(1)\n"])));
    bench.services.structure = { maxFiles: 3 };
    expect(await edit([{ pat: "cap($A)", out: "x" }], [f("")])).toMatch(
      /^Would make 3 replacements in 3 files:[\s\S]*\[Limit reached; narrow paths\.\]$/,
    );
    expect(await grep("cap($A)", [f("")])).toContain(
      "[Only the first 3 files that may match were searched: narrow `paths`]",
    );
    delete bench.services.structure;
  });

  it("T-AST-2 G-72 the pending action names the files that it writes, and its preview is the change", async () => {
    const f = await folder({ "a.ts": "one(1);\n" });
    await edit([{ pat: "one($A)", out: "two($A)" }], [f("a.ts")]);
    const action = pending.next as PendingAction;
    const signal = new AbortController().signal;
    const { CallPaths } = await import("../../src/contract/paths/call-paths.ts");
    const scope = () => ({ env: bench.env, signal, services: bench.services, paths: new CallPaths(bench.env, signal) });
    expect(await action.access?.(scope())).toEqual([{ kind: "write", path: join(bench.dir, f("a.ts")) }]);
    const lines = (await action.preview?.(scope()))?.lines.map(({ text }) => text);
    expect(lines).toEqual([`change ${f("a.ts")}`, "@@ -1,1 +1,1 @@", "-one(1);", "+two(1);"]);
    const question = await resolveTool(pending).preview?.({ action: "apply", reason: "" }, scope());
    expect(question?.lines.filter(({ kind }) => kind === "heading")).toMatchObject([{ text: `change ${f("a.ts")}` }]);
    writeFileSync(join(bench.dir, f("a.ts")), "one(1); // changed\n");
    expect((await action.preview?.(scope()))?.lines.map(({ text }) => text).join()).toContain(
      "has changed since this edit was computed",
    );
    expect(await settle("apply")).toContain("has changed since this edit was computed. Nothing was written");
    expect(bytesOf(f("a.ts"))).toBe("one(1); // changed\n");
  });
});
