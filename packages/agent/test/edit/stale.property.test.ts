import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ShownFiles } from "../../src/files/edit/shown-files.ts";
import { applyPatchTool } from "../../src/tools/builtin/apply-patch/index.ts";
import { editFileTool } from "../../src/tools/builtin/edit-file/index.ts";
import { hashlineEditTool } from "../../src/tools/builtin/hashline/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { type Case, fileLines, intended, type Line, type Splice, splicesFor, textOf } from "./generate.ts";
import { contextFor, run } from "./harness.ts";
import { hashline, oldAndNew, v4a, v4aUpdate } from "./print.ts";

const long = process.env["LATHE_LONG"] !== undefined;
const RUNS = long ? 8_000 : 60;
const timeout = long ? 1_800_000 : 60_000;

interface Race {
  readonly before: readonly Line[];
  readonly ours: readonly Splice[];
  readonly theirs: readonly Splice[];
}

/** Two separate sets of splices for one file: both can be applied, and there is only one way to apply both. */
const races: fc.Arbitrary<Race> = fileLines({ max: 24, style: fc.constantFrom("\n", "\r\n") }).chain((before) =>
  splicesFor(before.length, 3, 4).chain((all) =>
    fc.array(fc.boolean(), { minLength: all.length, maxLength: all.length }).map((mine) => ({
      before,
      ours: all.filter((_, index) => mine[index]),
      theirs: all.filter((_, index) => !mine[index]),
    })),
  ),
);

const style = { context: 2, hint: "none", wrap: "none", crlf: false, endOfFile: false } as const;

async function race(kind: "hashline" | "edit_file" | "apply_patch", { before, ours, theirs }: Race): Promise<boolean> {
  fc.pre(ours.length > 0 && theirs.length > 0);
  const shown = textOf(before);
  const dialect = kind === "edit_file" ? "literal" : "lines";
  const disk = intended({ before, splices: theirs }, dialect);
  const both = [...ours, ...theirs].sort((a, b) => a.start - b.start);
  const wanted = intended({ before, splices: both }, dialect);
  fc.pre(disk !== shown && wanted !== disk && intended({ before, splices: ours }, dialect) !== shown);
  const env = new MemoryEnvironment({ files: { "a.txt": shown } });
  const shownFiles = new ShownFiles();
  const tag = shownFiles.record(env.resolve("a.txt"), shown);
  await env.writeFile("a.txt", disk);
  const context = contextFor(env, { shownFiles });
  const one: Case = { before, splices: ours };
  const { old, replacement } = oldAndNew(one, 1);
  const result =
    kind === "hashline"
      ? await run(hashlineEditTool, { input: hashline("a.txt", tag, one) }, context)
      : kind === "apply_patch"
        ? await run(applyPatchTool, { patch: v4a([v4aUpdate("a.txt", one, style)], style) }, context)
        : await run(editFileTool, { file_path: "a.txt", old_string: old, new_string: replacement }, context);
  const now = await env.readFile("a.txt");
  expect(now, result.text).toBe(result.failed ? disk : wanted);
  return !result.failed;
}

describe("an edit of a file that changed on disk since it was shown", () => {
  for (const [kind, ids] of [
    ["hashline", "T-EDIT-4"],
    ["edit_file", "TL-03"],
    ["apply_patch", "PA-02"],
  ] as const) {
    it(
      `${ids} ${kind}: both changes stand, or the file is left as it is`,
      async () => {
        let made = 0;
        await fc.assert(
          fc.asyncProperty(races, async (one) => {
            if (await race(kind, one)) made++;
          }),
          { numRuns: RUNS },
        );
        expect(made / RUNS).toBeGreaterThan(kind === "hashline" ? 0.3 : 0.15);
      },
      timeout,
    );
  }
});
