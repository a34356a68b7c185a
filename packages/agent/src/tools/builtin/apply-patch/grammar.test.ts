import { describe, expect, it } from "vitest";
import { parseV4a } from "../../../files/edit/patch/parse-v4a.ts";
import type { PatchOperation } from "../../../files/edit/patch/types.ts";

const wrap = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

/** A printer for the round-trip test; the product never prints patches. */
function print(operations: readonly PatchOperation[]): string {
  const lines = operations.flatMap((operation) => {
    if (operation.kind === "add")
      return [`*** Add File: ${operation.path}`, ...operation.lines.map((line) => `+${line}`)];
    if (operation.kind === "delete") return [`*** Delete File: ${operation.path}`];
    return [
      `*** Update File: ${operation.path}`,
      ...(operation.moveTo ? [`*** Move to: ${operation.moveTo}`] : []),
      ...operation.hunks.flatMap((hunk) => [
        ...(hunk.hints.length > 0 ? hunk.hints.map((hint) => `@@ ${hint}`) : ["@@"]),
        ...hunk.body.map((change) => (change.kind === " " && change.text === "" ? "" : change.kind + change.text)),
        ...(hunk.atEnd ? ["*** End of File"] : []),
      ]),
    ];
  });
  return wrap(...lines);
}

const update = (...lines: string[]) => wrap("*** Update File: a.py", ...lines);

const good: Readonly<Record<string, string>> = {
  add: wrap("*** Add File: src/utils/helpers.py", "+def greet(name):", '+    return f"Hello, {name}!"'),
  "add an empty file": wrap("*** Add File: empty"),
  delete: wrap("*** Delete File: src/old_module.py"),
  "update with hint": update(
    "@@ def main():",
    '     print("Hello")',
    "-    return 0",
    '+    print("World")',
    "+    return 1",
  ),
  "update and move": wrap(
    "*** Update File: old.py",
    "*** Move to: new.py",
    "@@ import os",
    " import sys",
    "-import a",
    "+import b",
  ),
  "move only": wrap("*** Update File: old.py", "*** Move to: new.py"),
  "several hunks": update("@@ A = 30", "-A = 30", "+A = 60", "@@ def f():", "     c = {}", "-    x", "+    y"),
  "@@ without blank and without hint": update("@@", "-a", "+b"),
  "first hunk without @@": update(" a", "-b", "+c"),
  "an empty line is an empty context line": update("@@", " a", "", "-b"),
  "end of file marker": update("@@", "-a", "+b", "*** End of File"),
  "CRLF input": update("@@", "-a", "+b").replaceAll("\n", "\r\n"),
  "CR-only input": update("@@", "-a", "+b").replaceAll("\n", "\r"),
  "mixed endings": update("@@", "-a", "+b").replace("\n", "\r\n").replace("\n-", "\r-"),
  "code fence": `\`\`\`patch\n${update("@@", "-a", "+b")}\n\`\`\``,
  heredoc: `apply_patch <<'EOF'\n${update("@@", "-a", "+b")}\nEOF\n`,
  "heredoc of a shell call": `bash -lc "apply_patch <<'PATCH'\n${update("@@", "-a", "+b")}\nPATCH\n"`,
  "padded markers": "  *** Begin Patch  \n*** Update File:   a.py  \n@@\n-a\n+b\n  *** End Patch ",
  "indented as a whole": update("@@", "-a", "+b")
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n"),
  "blank lines between operations": wrap("", "*** Delete File: a", "", "*** Delete File: b", ""),
  "nested hints": update("@@ class A", "@@   def f", "-a", "+b"),
};

const bad: Readonly<Record<string, readonly [string, RegExp]>> = {
  "no begin": ["*** Update File: a\n@@\n-a\n*** End Patch", /line 1: the first line must be/],
  "no end": ["*** Begin Patch\n*** Delete File: a", /incomplete/],
  nothing: [wrap(), /no file operation/],
  "unknown operation": [wrap("*** Rename File: a"), /line 2: expected "\*\*\* Add File:"/],
  "no path": [wrap("*** Delete File: "), /line 2: the path is missing/],
  "update without hunk": [wrap("*** Update File: a"), /line 2: the update of a has no hunk/],
  "line without sign in an update": [update("@@", "a"), /line 4: a hunk line begins with/],
  "line without sign in an add": [wrap("*** Add File: a", "x"), /line 3: every line of a new file begins with "\+"/],
  "empty hunk": [update("@@ def f"), /line 3: the hunk is empty/],
  "prose before": [`Here it is:\n${update("@@", "-a")}`, /line 1: unexpected text before/],
  "prose after": [`${update("@@", "-a")}\nDone!`, /line 6: unexpected text after/],
  "move without destination": [wrap("*** Update File: a", "*** Move to: ", "@@", "-a"), /line 3: the destination/],
  "gap in an add": [wrap("*** Add File: a", "+x", "", "+y"), /line 4: every line of a new file/],
  "move without update": [wrap("*** Move to: b"), /line 2: expected/],
};

describe("PA-01 the v4a grammar", () => {
  for (const [name, text] of Object.entries(good)) {
    it(`PA-01 accepts ${name}; parse, print, parse gives the same`, () => {
      const { operations } = parseV4a(text);
      expect(operations.length).toBeGreaterThan(0);
      expect(parseV4a(print(operations)).operations).toEqual(operations);
    });
  }
  for (const [name, [text, message]] of Object.entries(bad)) {
    it(`PA-01 refuses ${name} with the line number`, () => {
      expect(() => parseV4a(text)).toThrow(message);
    });
  }
});
