import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { ShownFiles } from "../../src/files/edit/shown-files.ts";
import { applyPatchTool } from "../../src/tools/builtin/apply-patch/index.ts";
import { hashlineEditTool } from "../../src/tools/builtin/hashline/index.ts";
import { patchEditTool } from "../../src/tools/builtin/patch/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { EnvError, type WriteOptions } from "../../src/world/env/types.ts";
import { type Case, cases, lineText, textOf } from "./generate.ts";
import { contextFor, run } from "./harness.ts";
import { hashline, unified, v4a, v4aUpdate } from "./print.ts";

const long = process.env["LATHE_LONG"] !== undefined;
const RUNS = long ? 5_000 : 50;
const timeout = long ? 1_800_000 : 60_000;
const plain = { context: 2, hint: "none", wrap: "none", crlf: false, endOfFile: false } as const;
const names = ["a.txt", "b.txt", "c.txt"] as const;

const three = fc.tuple(
  cases({ max: 8, gap: 1, most: 2 }),
  cases({ max: 8, gap: 1, most: 2 }),
  cases({ max: 8, gap: 1, most: 2 }),
);

/** Drops, repeats, swaps or overwrites some lines, or cuts the text. */
const damage = fc.array(
  fc.tuple(fc.constantFrom("drop", "repeat", "swap", "write", "cut", "shift"), fc.nat(), lineText),
  {
    minLength: 1,
    maxLength: 4,
  },
);

function damaged(text: string, hits: readonly (readonly [string, number, string])[]): string {
  const lines = text.split("\n");
  for (const [how, where, replacement] of hits) {
    const at = where % Math.max(1, lines.length);
    if (how === "drop") lines.splice(at, 1);
    else if (how === "repeat") lines.splice(at, 0, lines[at] ?? "");
    else if (how === "swap") lines.push(...lines.splice(at, 1));
    else if (how === "write") lines[at] = replacement;
    else if (how === "cut") lines.length = at;
    else lines[at] = ` ${lines[at] ?? ""}`;
  }
  return lines.join("\n");
}

/** An environment whose n-th change of the disk fails. */
class FailingEnvironment extends MemoryEnvironment {
  left = Number.POSITIVE_INFINITY;

  #tick(path: string): void {
    if (--this.left < 0 && this.left > -2) throw new EnvError("no_space", `No space left on device: ${path}`, { path });
  }

  override async writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void> {
    this.#tick(path);
    return super.writeFile(path, content, options);
  }

  override async deleteFile(path: string): Promise<void> {
    this.#tick(path);
    return super.deleteFile(path);
  }
}

async function snapshot(env: MemoryEnvironment): Promise<Record<string, string>> {
  const entries = await env.listDirectory("/work", 3);
  const files = entries.filter((entry) => !entry.isDir).map((entry) => entry.name);
  const read = files.map(async (name) => [name, Buffer.from(await env.readBytes(name)).toString("latin1")] as const);
  return Object.fromEntries(await Promise.all(read));
}

async function untouchedOnFailure<Args>(
  tool: ToolDef<Args>,
  all: readonly Case[],
  args: (tags: readonly string[]) => Args,
  failAt?: number,
) {
  const files = Object.fromEntries(names.map((name, index) => [name, textOf(all[index]?.before ?? [])]));
  const env = new FailingEnvironment({ files });
  if (failAt !== undefined) env.left = failAt;
  const shownFiles = new ShownFiles();
  const tags = names.map((name) => shownFiles.record(env.resolve(name), files[name] ?? ""));
  const before = await snapshot(env);
  const result = await run(tool, args(tags), contextFor(env, { shownFiles }));
  if (result.failed) expect(await snapshot(env), result.text).toEqual(before);
  return result;
}

describe("damaged input neither crashes nor leaves half a change", () => {
  it(
    "PA-01 PA-03 apply_patch",
    async () => {
      await fc.assert(
        fc.asyncProperty(three, damage, async (all, hits) => {
          const operations = [
            ...names.map((name, index) => v4aUpdate(name, all[index] as Case, plain)),
            ["*** Add File: d/new.txt", "+x"],
            ["*** Delete File: c.txt"],
            ["*** Update File: b.txt", "*** Move to: e.txt"],
          ];
          await untouchedOnFailure(applyPatchTool, all, () => ({ patch: damaged(v4a(operations, plain), hits) }));
        }),
        { numRuns: RUNS },
      );
    },
    timeout,
  );

  it(
    "T-EDIT-5 unified diff",
    async () => {
      await fc.assert(
        fc.asyncProperty(three, damage, async (all, hits) => {
          const diff = names.map((name, index) => unified(name, all[index] as Case, 2)).join("");
          await untouchedOnFailure(patchEditTool, all, () => ({ diff: damaged(diff, hits) }));
        }),
        { numRuns: RUNS },
      );
    },
    timeout,
  );

  it(
    "T-EDIT-2 hashline",
    async () => {
      await fc.assert(
        fc.asyncProperty(three, damage, async (all, hits) => {
          await untouchedOnFailure(hashlineEditTool, all, (tags) => ({
            input: damaged(
              names.map((name, index) => hashline(name, tags[index] ?? "", all[index] as Case)).join("\n"),
              hits,
            ),
          }));
        }),
        { numRuns: RUNS },
      );
    },
    timeout,
  );

  it(
    "PA-03 a disk that fails in the middle: what was written is put back",
    async () => {
      let failures = 0;
      await fc.assert(
        fc.asyncProperty(three, fc.nat(4), async (all, failAt) => {
          const operations = [
            ["*** Add File: new/x.txt", "+x"],
            ["*** Update File: a.txt", "*** Move to: moved.txt"],
            ["*** Delete File: b.txt"],
            ["*** Delete File: c.txt"],
            ["*** Add File: c.txt", "+replaced", "+again"],
          ];
          const result = await untouchedOnFailure(
            applyPatchTool,
            all,
            () => ({ patch: v4a(operations, plain) }),
            failAt,
          );
          if (result.failed) {
            failures++;
            expect(result.text).toContain("Everything is as it was before the call.");
          }
        }),
        { numRuns: RUNS },
      );
      expect(failures).toBeGreaterThan(RUNS / 2);
    },
    timeout,
  );
});
