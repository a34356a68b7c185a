import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { ShownFiles } from "../../src/files/edit/shown-files.ts";
import { applyPatchTool } from "../../src/tools/builtin/apply-patch/index.ts";
import { editFileTool } from "../../src/tools/builtin/edit-file/index.ts";
import { hashlineEditTool } from "../../src/tools/builtin/hashline/index.ts";
import { patchEditTool } from "../../src/tools/builtin/patch/index.ts";
import { writeFileTool } from "../../src/tools/builtin/write-file/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { type Case, cases, changesNothing, encodings, intended, lineText, textOf } from "./generate.ts";
import { contextFor, run } from "./harness.ts";
import { expressible, hashline, oldAndNew, type Style, unified, v4a, v4aUpdate } from "./print.ts";

const long = process.env["LATHE_LONG"] !== undefined;
const RUNS = long ? 16_000 : 120;
const timeout = long ? 1_800_000 : 60_000;

const styles: fc.Arbitrary<Style> = fc.record({
  context: fc.nat(3),
  hint: fc.constantFrom("none", "line before", "first line"),
  wrap: fc.constantFrom("none", "fence", "heredoc", "padded"),
  crlf: fc.boolean(),
  endOfFile: fc.boolean(),
});

/** Endings of a replaced block are only determined if its lines can be told apart. */
function distinct(one: Case): boolean {
  const texts = [...one.before.map((line) => line.text), ...one.splices.flatMap((splice) => splice.insert)];
  return new Set(texts).size === texts.length;
}

const sameEndings = (one: Case) => new Set(one.before.map((line) => line.eol).filter((eol) => eol !== "")).size < 2;

/**
 * Runs one call on a.txt: it must give exactly the wanted bytes, or refuse and leave the file alone. Returns whether it
 * made the change.
 */
async function check<Args>(tool: ToolDef<Args>, before: Buffer, after: Buffer, args: Args): Promise<boolean> {
  const env = new MemoryEnvironment({ files: { "a.txt": before } });
  const result = await run(tool, args, contextFor(env, { shownFiles: new ShownFiles() }));
  const now = Buffer.from(await env.readBytes("a.txt"));
  expect(now.toString("latin1"), result.text).toBe((result.failed ? before : after).toString("latin1"));
  return !result.failed;
}

async function property(
  arbitrary: fc.Arbitrary<unknown[]>,
  runs: number,
  body: (...args: never[]) => Promise<boolean>,
): Promise<number> {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(arbitrary, async (args) => {
      if (await body(...(args as never[]))) made++;
    }),
    { numRuns: runs },
  );
  return made / runs;
}

describe("every dialect gives exactly the intended bytes or leaves the file as it was", () => {
  it(
    "PA-02 PA-03 apply_patch",
    async () => {
      const share = await property(
        fc.tuple(cases({ max: 14, gap: 1, most: 3 }), styles, encodings),
        RUNS,
        async (one: Case, style: Style, encode: (text: string) => Buffer) => {
          fc.pre(!changesNothing(one) && expressible(one, style));
          const patch = v4a([v4aUpdate("a.txt", one, style)], style);
          return check(applyPatchTool, encode(textOf(one.before)), encode(intended(one)), { patch });
        },
      );
      expect(share).toBeGreaterThan(0.5);
    },
    timeout,
  );

  it(
    "T-EDIT-5 unified diff",
    async () => {
      const share = await property(
        fc.tuple(cases({ max: 14, gap: 1, most: 3 }), fc.nat(3), encodings),
        RUNS,
        async (one: Case, context: number, encode: (text: string) => Buffer) => {
          fc.pre(!changesNothing(one));
          const diff = unified("a.txt", one, context);
          return check(patchEditTool, encode(textOf(one.before)), encode(intended(one, "literal")), { diff });
        },
      );
      expect(share).toBeGreaterThan(0.7);
    },
    timeout,
  );

  it(
    "T-EDIT-2 hashline",
    async () => {
      const share = await property(
        fc.tuple(cases({ max: 14, gap: 0, most: 3 }), encodings),
        RUNS,
        async (one: Case, encode: (text: string) => Buffer) => {
          fc.pre(!changesNothing(one));
          const before = encode(textOf(one.before));
          const env = new MemoryEnvironment({ files: { "a.txt": before } });
          const shownFiles = new ShownFiles();
          const tag = shownFiles.record(env.resolve("a.txt"), textOf(one.before));
          const result = await run(
            hashlineEditTool,
            { input: hashline("a.txt", tag, one) },
            contextFor(env, { shownFiles }),
          );
          const now = Buffer.from(await env.readBytes("a.txt"));
          expect(now.toString("latin1"), result.text).toBe(
            (result.failed ? before : encode(intended(one))).toString("latin1"),
          );
          return !result.failed;
        },
      );
      expect(share).toBeGreaterThan(0.8);
    },
    timeout,
  );

  it(
    "TL-03 edit_file with whole lines",
    async () => {
      const share = await property(
        fc.tuple(cases({ max: 14, gap: 1, most: 2 }), fc.nat(3), fc.boolean(), encodings),
        RUNS,
        async (one: Case, context: number, crlf: boolean, encode: (text: string) => Buffer) => {
          fc.pre(!changesNothing(one) && (sameEndings(one) || distinct(one)));
          const { old, replacement } = oldAndNew(one, context);
          const typed = (text: string) => (crlf ? text.replaceAll("\n", "\r\n") : text);
          const args = { file_path: "a.txt", old_string: typed(old), new_string: typed(replacement) };
          return check(editFileTool, encode(textOf(one.before)), encode(intended(one, "literal")), args);
        },
      );
      expect(share).toBeGreaterThan(0.4);
    },
    timeout,
  );

  it(
    "TL-03 edit_file inside a line",
    async () => {
      const share = await property(
        fc.tuple(cases({ max: 14, gap: 1, most: 1 }), fc.nat(), fc.nat(), fc.nat(), lineText, encodings),
        RUNS,
        async (
          one: Case,
          pick: number,
          from: number,
          size: number,
          replacement: string,
          encode: (text: string) => Buffer,
        ) => {
          const index = one.before.length === 0 ? 0 : pick % one.before.length;
          const letters = [...(one.before[index]?.text ?? "")];
          fc.pre(letters.length > 0);
          const start = from % letters.length;
          const end = start + 1 + (size % (letters.length - start));
          const old_string = letters.slice(start, end).join("");
          fc.pre(old_string !== replacement);
          const changed = letters.slice(0, start).join("") + replacement + letters.slice(end).join("");
          const lines = one.before.map((line, at) => (at === index ? { ...line, text: changed } : line));
          fc.pre(textOf(lines).split(/\r\n|\r|\n/).length === textOf(one.before).split(/\r\n|\r|\n/).length);
          const args = { file_path: "a.txt", old_string, new_string: replacement };
          return check(editFileTool, encode(textOf(one.before)), encode(textOf(lines)), args);
        },
      );
      expect(share).toBeGreaterThan(0.2);
    },
    timeout,
  );

  it(
    "TL-02 write_file",
    async () => {
      const share = await property(
        fc.tuple(cases({ max: 14, gap: 1, most: 3 }), encodings),
        RUNS,
        async (one: Case, encode: (text: string) => Buffer) => {
          fc.pre(one.before.length > 0 && (sameEndings(one) || distinct(one)));
          const after = intended(one);
          const content = after.replace(/\r\n|\r/g, "\n");
          return check(writeFileTool, encode(textOf(one.before)), encode(after), { file_path: "a.txt", content });
        },
      );
      expect(share).toBe(1);
    },
    timeout,
  );
});
