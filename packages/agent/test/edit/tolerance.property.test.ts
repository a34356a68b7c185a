import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editFileTool } from "../../src/tools/builtin/edit-file/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { type Case, cases, changesNothing, intended, textOf } from "./generate.ts";
import { contextFor, run } from "./harness.ts";
import { oldAndNew } from "./print.ts";

const long = process.env["LATHE_LONG"] !== undefined;
const RUNS = long ? 5_000 : 50;
const timeout = long ? 1_800_000 : 60_000;

const eachLine = (text: string, change: (line: string) => string) =>
  text
    .split("\n")
    .map((line) => (line.trim() === "" ? line : change(line)))
    .join("\n");

/** Typical mistakes of models when they quote: the whole text, old and new, is mistyped in the same way. */
const slips: Readonly<Record<string, (text: string) => string>> = {
  "trailing-whitespace": (text) => eachLine(text, (line) => `${line}  `),
  indentation: (text) => eachLine(text, (line) => `    ${line}`),
};

/** True if the block's lines, compared without trailing blanks, occur in the file. */
function standsLoosely(file: string, block: string): boolean {
  const trim = (text: string) =>
    `\n${text
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")}\n`;
  return trim(file).includes(trim(block.replace(/\n$/, "")));
}

describe("a quotation that is slightly off lands where it was meant or nowhere", () => {
  for (const [name, slip] of Object.entries(slips)) {
    it(
      `TL-03 ${name}`,
      async () => {
        let made = 0;
        await fc.assert(
          fc.asyncProperty(
            cases({ max: 10, gap: 1, most: 1, style: fc.constantFrom("\n", "\r\n") }),
            async (one: Case) => {
              fc.pre(!changesNothing(one));
              const before = textOf(one.before);
              const file = before.replaceAll("\r\n", "\n");
              const { old, replacement } = oldAndNew(one, 1);
              const typed = slip(old);
              // A mistake that happens to quote another place exactly is a different request.
              fc.pre(old.trim() !== "" && !file.includes(typed));
              fc.pre(name === "trailing-whitespace" || !standsLoosely(file, typed));
              const env = new MemoryEnvironment({ files: { "a.txt": before } });
              const new_string = name === "trailing-whitespace" ? replacement : slip(replacement);
              const args = { file_path: "a.txt", old_string: typed, new_string };
              const result = await run(editFileTool, args, contextFor(env));
              const now = await env.readFile("a.txt");
              if (result.failed) expect(now).toBe(before);
              else expect(sameLines(now), result.text).toEqual(sameLines(intended(one, "literal")));
              if (!result.failed) made++;
            },
          ),
          { numRuns: RUNS },
        );
        expect(made / RUNS).toBeGreaterThan(0.2);
      },
      timeout,
    );
  }
});

/** The tolerant steps may differ from the literal reading only in trailing blanks. */
function sameLines(text: string): string[] {
  return text.split(/\r\n|\n/).map((line) => line.trimEnd());
}
