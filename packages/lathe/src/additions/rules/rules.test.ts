import { describe, expect, it } from "vitest";
import { CallText } from "./call-text.ts";
import { type Condition, compileCondition, search } from "./condition.ts";
import { ruleOf } from "./rule.ts";
import { coversAccess, coversCall, globOfCondition, parseScope } from "./scope.ts";

const condition = (pattern: string): Condition => compileCondition(pattern) as Condition;
const finds = (pattern: string, text: string): boolean => search([condition(pattern)], text).found.size > 0;

describe("a condition", () => {
  it.each([
    ["console\\.log", "a console.log(b)", true],
    ["console\\.log", "a consolexlog(b)", false],
    ["(?i)todo", "a ToDo", true],
    ["^import .* from", "x\nimport a from", true],
    ["\\bany\\b|unknown", "as any)", true],
    ["[*+?]", "a+b", true],
    ["(\\w)\\1", "xyyz", true],
  ])("G-96 %s in %j: %s", (pattern, text, isThere) => {
    expect(finds(pattern, text)).toBe(isThere);
  });

  it("G-96 that could backtrack runs under a limit; one that cannot does not pay for it", () => {
    for (const plain of ["console\\.log", "[*+?]x", "^\\d\\d$", "a\\?"]) expect(condition(plain).isPlain).toBe(true);
    for (const risky of ["(a+)+", "a|b", "a?", "a{3}", "(.)\\1", "(?:a)"]) expect(condition(risky).isPlain).toBe(false);
  });

  it("G-96 that never ends is named, and the others are still looked for", () => {
    const slow = condition("^(a+)+$");
    const quick = condition("b+");
    const { found, tooSlow } = search([slow, quick], `${"a".repeat(50)}b`);
    expect([[...found], tooSlow]).toEqual([[quick], [slow]]);
  });
});

describe("a scope", () => {
  it.each([
    ["text", { kind: "text" }],
    ["thinking", { kind: "thinking" }],
    ["tool", { kind: "tool" }],
    ["toolcall", { kind: "tool" }],
    ["tool:*", { kind: "tool" }],
    ["tool:shell", { kind: "tool", tool: "shell" }],
    ["tool:edit(*.{ts,tsx})", { kind: "tool", tool: "edit", glob: "*.{ts,tsx}" }],
    ["tool:*(src/**)", { kind: "tool", glob: "src/**" }],
    ["tools", undefined],
    ["tool:edit(", undefined],
  ])("G-96 %s", (text, scope) => {
    expect(parseScope(text)).toEqual(scope);
  });

  it.each([
    ["*.test.ts", true],
    ["src/**", true],
    ["src/*.ts", true],
    ["docs/*.{md,mdx}", true],
    ["console.*log", false],
    [".*\\.ts", false],
    ["console\\.log", false],
    ["as any", false],
  ])("G-96 %s as a condition means files: %s", (text, isGlob) => {
    expect(globOfCondition(text) !== undefined).toBe(isGlob);
  });

  it("G-96 a word for what a call does holds for whatever the tools of a model are called", () => {
    const edit = { kind: "tool", tool: "edit", glob: "*.ts" } as const;
    const write = [{ kind: "write", path: "/p/src/a.ts" }] as const;
    expect(coversCall(edit, "apply_patch")).toBeUndefined();
    expect(coversAccess(edit, "apply_patch", write, "/p")).toBe(true);
    expect(coversAccess(edit, "read_file", [{ kind: "read", path: "/p/src/a.ts" }], "/p")).toBe(false);
    expect(coversAccess({ ...edit, glob: "src/*.ts" }, "x", write, "/p")).toBe(true);
    expect(coversAccess({ ...edit, glob: "lib/*.ts" }, "x", write, "/p")).toBe(false);
    expect(coversCall({ kind: "tool", tool: "grep" }, "glob")).toBe(false);
    expect(coversCall({ kind: "tool", tool: "grep" }, "grep")).toBe(true);
    expect(
      coversAccess({ kind: "tool", tool: "bash" }, "shell", [{ kind: "exec", command: "ls", cwd: "/p" }], "/p"),
    ).toBe(true);
  });
});

it("G-96 the arguments of a call are the same text, wherever the pieces are split", () => {
  const args = JSON.stringify({ path: "a.js", content: 'x = "1"\n\teval(y) \\ \u00e9 \u{1F600}' });
  const escaped = args.replace("\u00e9", "\\u00e9");
  const whole = new CallText().add(escaped);
  expect(whole).toContain('x = "1"\n\teval(y) \\ \u00e9 \u{1F600}');
  for (let size = 1; size < 7; size++) {
    const text = new CallText();
    const pieces = escaped.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
    expect(pieces.map((piece) => text.add(piece)).join("")).toBe(whole);
  }
});

it("G-93 a rule takes lists and single words, and drops what has the wrong type", () => {
  const source = { provider: "native", providerName: "Lathe", level: "project", path: "/p/r.md" } as const;
  const { rule } = ruleOf({
    kind: "rule",
    name: "r",
    source,
    value: {
      frontmatter: {
        globs: "*.ts, src/{a,b}/**",
        alwaysApply: "true",
        description: 7,
        ttsrTrigger: "x",
        scope: "text, tool:edit(*.{a,b})",
      },
      body: "Text.",
      folder: "/p",
    },
  });
  expect(rule).toMatchObject({ globs: ["*.ts", "src/{a,b}/**"], alwaysApply: false });
  expect(rule.description).toBeUndefined();
  expect(rule.triggers[0]?.scopes).toEqual([{ kind: "text" }, { kind: "tool", tool: "edit", glob: "*.{a,b}" }]);
});
