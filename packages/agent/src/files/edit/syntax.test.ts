import { describe, expect, it } from "vitest";
import { Syntax } from "./syntax.ts";

const syntax = () => new Syntax(() => performance.now());

describe("TL-03 the syntax check after an edit", () => {
  it("TL-03 names the line of a new error in each kind of file, and only of a new one", async () => {
    const checker = syntax();
    const broken: readonly (readonly [string, string, string])[] = [
      ["a.ts", "let a = 1;\nlet b = 2;\n", "let a = 1;\nlet b = = 2;\n"],
      ["a.tsx", "const x = <p>a</p>;\nf();\n", "const x = <p>a</p>;\nf(;\n"],
      ["a.py", "a = 1\nb = 2\n", "a = 1\nb = = 2\n"],
      ["a.rs", "fn a() {}\nfn b() {}\n", "fn a() {}\nfn b( {}\n"],
      ["a.go", "package a\nvar b = 2\n", "package a\nvar b = = 2\n"],
      ["a.java", "class A {}\nclass B {}\n", "class A {}\nclass {}\n"],
      ["a.sh", "echo a\necho b\n", 'echo a\nif then "\n'],
    ];
    for (const [path, before, after] of broken) {
      expect([path, await checker.newError(path, before, after)]).toEqual([path, 2]);
      expect([path, await checker.newError(path, after, after)]).toEqual([path, undefined]);
      expect([path, await checker.newError(path, after, before)]).toEqual([path, undefined]);
    }
  });

  it("TL-03 unknown kinds, large files and a passed deadline give no verdict", async () => {
    expect(await syntax().newError("a.unknown", "", "((((")).toBeUndefined();
    expect(await syntax().newError("a.constructor", "", "((((")).toBeUndefined();
    expect(await new Syntax(() => 0, { textLength: 3 }).newError("a.ts", "", "((((")).toBeUndefined();
    let clock = 0;
    const hurried = new Syntax(() => (clock += 1000));
    expect(await hurried.newError("a.ts", "", `${"f(x);\n".repeat(5000)}((((`)).toBeUndefined();
  });
});
