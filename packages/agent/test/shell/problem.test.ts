// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are expansions of bash.

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { shellProblem } from "../../src/policy/shell/problem.ts";

const isReadByBash = (text: string): boolean => spawnSync("bash", ["-n", "-c", text], { timeout: 10_000 }).status === 0;

describe("a text that no shell can parse", () => {
  it.each([
    "if [",
    "if",
    "if true; then",
    "if true; then x",
    "if x; then y; else",
    "for",
    "for x",
    "for x in a; do y",
    "for x in a; y; done",
    "while x",
    "while x; do y",
    "until",
    "case x",
    "case x in a",
    "case x in a) y",
    "{ x",
    "{ x )",
    "( x",
    "$(if x)",
    "f(",
    "function",
    "fi",
    "done; x",
    "x; then y",
    "x | do y",
    "}",
    "x |",
    "&& x",
    "x ;;",
    "[[ a",
    "${x",
    "${x:-y",
    "a=(1 2",
    "echo $((1+2",
    "echo 'x",
    'echo "x',
  ])("is named: %j", (text) => {
    expect(isReadByBash(text)).toBe(false);
    expect(shellProblem(text)).toBeDefined();
  });

  it("with a NUL byte is named", () => {
    expect(shellProblem("a\0b")).toBe("it contains a NUL byte");
  });

  it.each([
    "npm test",
    "for x in a; { echo $x; }",
    "for x do y; done",
    "for x; do y; done",
    "select x in a; { y; }",
    "for ((i = 0; i < 3; i++)) { x; }",
    "coproc x",
    "time -p x",
    "shopt -s extglob",
    "echo if then fi do",
    "x=1 fi",
    ">f done",
    "echo ${!x} ${x@A}",
    "echo $((a[1] + 2))",
    "echo $((x); (y))",
    "f() ( x )",
    "function f { x; }",
    "case x in (a) y;; esac",
    "case x in a) ;; b) y; esac",
    "[ -f x ] && { y; }",
    "cat <<E\nx\nE",
    "a=([1]=2)",
  ])("is not said of %j", (text) => {
    expect(isReadByBash(text)).toBe(true);
    expect(shellProblem(text)).toBeUndefined();
  });
});
