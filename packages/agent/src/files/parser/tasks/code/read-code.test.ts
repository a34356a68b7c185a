import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { CodeFacts } from "./facts.ts";
import { readCode } from "./read-code.ts";

async function read(files: Readonly<Record<string, string | Buffer>>): Promise<Map<string, CodeFacts>> {
  const root = mkdtempSync(join(tmpdir(), "code-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const facts = await readCode({ root, paths: Object.keys(files) });
  return new Map(facts.map((one) => [one.path, one]));
}

/** What a file defines, as `kind inside.name`, and what it imports. */
function shown({ definitions, imports }: CodeFacts): [string, string] {
  const names = definitions.map(({ kind, inside, name }) => `${kind} ${inside ? `${inside}.` : ""}${name}`);
  return [names.join(", "), imports.map(([specifier, isReexport]) => specifier + (isReexport ? "*" : "")).join(" ")];
}

it("a file of each language is read: its definitions, what is inside of what, and the files it names", async () => {
  const facts = await read({
    "a.ts": `import { x } from "./x.ts";\nexport * from "../y";\nexport class A<T> {\n  #own = 1;\n  go(): void { function inner() {} }\n}\nexport interface I { size: number; run(): void }\nexport type T = string;\nexport enum E { One }\nconst f = async () => { const local = await import("./lazy.ts"); };\nexport const g = 1;\n`,
    "a.js": `const b = require("./b");\nfunction one() {}\nclass C { m() {} }\n`,
    "a.py":
      "from . import near\nfrom .mod import (a, b as c)\nimport os.path, sys\nLIMIT = 3\nclass P:\n    def m(self): pass\ndef f(): pass\n",
    "a.rs":
      "mod inner;\nuse crate::deep::Thing;\npub struct S { field: u8 }\nimpl S { fn m(&self) {} }\ntrait Tr { fn t(); }\nfn free() {}\n",
    "a.go":
      'package p\nimport "example.com/m/sub"\ntype T struct { F int }\nfunc (t T) M() {}\nfunc Free() {}\nconst C = 1\n',
    "a.java": "import a.b.Other;\nclass J { int f; void m() {} }\ninterface K {}\n",
    "a.rb": "require_relative 'lib/x'\nmodule M\n  class R\n    def m; end\n  end\nend\n",
    "a.php": "<?php\nuse App\\Models\\User;\nrequire 'inc/a.php';\nclass P { function m() {} }\nfunction f() {}\n",
    "a.sh": "source lib/common.sh\nNAME=1\nrun() { echo hi; }\nrun\n",
    "a.c": '#include "util.h"\n#define MAX 3\nstruct Point { int x; };\nint add(int a, int b) { return a; }\n',
    "a.cs": "class C { int F; void M() {} }\ninterface I {}\n",
    "a.css": '@import "base.css";\n.box { color: red }\n',
  });
  const all = Object.fromEntries([...facts].map(([path, one]) => [path, shown(one)]));
  expect(all).toEqual({
    "a.ts": [
      "class A, field A.#own, method A.go, function go.inner, interface I, field I.size, method I.run, type T, enum E, constant f, constant g",
      "./x.ts ../y* ./lazy.ts",
    ],
    "a.js": ["constant b, function one, class C, method C.m", "./b"],
    "a.py": ["constant LIMIT, class P, method P.m, function f", ". ./near ./mod ./mod/a ./mod/b os/path sys"],
    "a.rs": [
      "module inner, class S, field S.field, method S.m, interface Tr, method Tr.t, function free",
      "./inner deep/Thing deep",
    ],
    "a.go": ["type T, field T.F, method M, function Free, constant C", "example.com/m/sub"],
    "a.java": ["class J, field J.f, method J.m, interface K", "a/b/Other"],
    "a.rb": ["module M, class M.R, method R.m", "lib/x"],
    "a.php": ["class P, method P.m, function f", "App/Models/User inc/a.php"],
    "a.sh": ["constant NAME, function run", "lib/common.sh"],
    "a.c": ["macro MAX, class Point, field Point.x, function add", "util.h"],
    "a.cs": ["class C, field C.F, method C.M, interface I", ""],
    "a.css": ["class box", "base.css"],
  });
});

it("a definition has its signature on one line, also where its parameters go over several", async () => {
  const text = "export async function long(\n  a: string,\n  { b }: { b: number },\n): Promise<void> {\n  body();\n}\n";
  const [one] = (await read({ "a.ts": text })).get("a.ts")?.definitions ?? [];
  expect(one).toEqual({
    name: "long",
    kind: "function",
    line: 1,
    inside: "",
    signature: "export async function long(a: string, { b }: { b: number }): Promise<void>",
  });
});

it("hostile files are read as empty or as far as they go, and the file behind them as usual", async () => {
  const facts = await read({
    "deep.ts": "(".repeat(15_000) + ")".repeat(15_000),
    "nested.js": `${"[".repeat(50_000)}x`,
    "line.js": `x=${"1,".repeat(5_000_000)}1`,
    "binary.ts": Buffer.from([0x63, 0, 1, 2, 0xff, 0xfe]),
    "broken.py": "class A(:\n  def f(\n\u0000",
    "half.ts": "export function whole() {}\nexport class Half { m( {",
    "name.ts": `export const ${"n".repeat(5000)} = 1;`,
    "bad/package.json": "{ not json",
    "null/package.json": "null",
    "good.ts": "export const good = 1;\n",
  });
  expect([...facts.keys()]).toHaveLength(10);
  expect(shown(facts.get("line.js")!)).toEqual(["", ""]);
  expect(shown(facts.get("binary.ts")!)).toEqual(["", ""]);
  expect(shown(facts.get("name.ts")!)).toEqual(["", ""]);
  expect(shown(facts.get("half.ts")!)[0]).toContain("function whole");
  expect(shown(facts.get("good.ts")!)).toEqual(["constant good", ""]);
});
