// The edit core over the least that any program has to do: read, replace, write.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "../../../scripts/bench-types.ts";
import { MemoryBlobs } from "../src/base/blobs/store.ts";
import { CallPaths } from "../src/contract/paths/call-paths.ts";
import type { ToolContext } from "../src/contract/tool.ts";
import { PathLocks } from "../src/files/edit/locks.ts";
import { ShownFiles } from "../src/files/edit/shown-files.ts";
import { Syntax } from "../src/files/edit/syntax.ts";
import { applyPatchTool } from "../src/tools/builtin/apply-patch/index.ts";
import { editFileTool } from "../src/tools/builtin/edit-file/index.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";

const TEN_MB = 10_000_000;

function contextIn(directory: string): ToolContext {
  const env = new LocalEnvironment({ cwd: directory, baseEnv: {} });
  const { signal } = new AbortController();
  return {
    callId: "bench",
    env,
    signal,
    // One context serves many calls here; each has its own paths.
    get paths() {
      return new CallPaths(env, signal);
    },
    blobs: new MemoryBlobs(),
    onOutput: () => {},
    messages: () => [],
    call: () => Promise.reject(new Error("no session")),
    openArtifact: () => {
      throw new Error("not used");
    },
    services: {
      vision: false,
      shownFiles: new ShownFiles(),
      pathLocks: new PathLocks(),
      syntax: new Syntax(() => performance.now()),
    },
  };
}

async function inTemporary<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "lathe-bench-"));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

/** Rounds alternate, so that a noisy moment hits both sides. */
async function ratio(
  rounds: number,
  ours: (round: number) => Promise<unknown>,
  plain: (round: number) => Promise<unknown>,
) {
  const [a, b]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    b.push(await time(() => plain(round)));
    a.push(await time(() => ours(round)));
  }
  return { value: median(a) / median(b), note: `${median(a).toFixed(1)} ms against ${median(b).toFixed(1)} ms` };
}

const oneLine: Bench = {
  name: "edit_file, one line of a 10 MB file, over plain read/replace/write",
  run: () =>
    inTemporary(async (directory) => {
      const file = join(directory, "big.txt");
      const lines: string[] = [];
      for (let size = 0, n = 0; size < TEN_MB; n++)
        size += lines.push(`row ${n} of a long file with some text in it`) && 50;
      lines[lines.length >> 1] = "value = 0";
      await writeFile(file, `${lines.join("\n")}\n`);
      const context = contextIn(directory);
      let value = 0;
      const next = () => [`value = ${value}`, `value = ${++value}`] as const;
      const measured = await ratio(
        15,
        async () => {
          const [old_string, new_string] = next();
          await editFileTool.execute({ file_path: "big.txt", old_string, new_string }, context);
        },
        async () => {
          const [old, now] = next();
          await writeFile(
            file,
            (await readFile(file, "utf8")).replace(old, () => now),
          );
        },
      );
      return { ...measured, unit: "x", budget: 2.5 };
    }),
};

const manyFiles: Bench = {
  name: "apply_patch of 200 files, over plain read/replace/write",
  run: () =>
    inTemporary(async (directory) => {
      const names = Array.from({ length: 200 }, (_, index) => `f${index}.ts`);
      const body = Array.from({ length: 80 }, (_, index) => `export const v${index} = ${index};`).join("\n");
      // Each side has its own files: those that somebody else has changed are merged, which is more work.
      const [ours, plain] = [join(directory, "ours"), join(directory, "plain")];
      for (const folder of [ours, plain]) {
        await mkdir(folder);
        for (const name of names) await writeFile(join(folder, name), `let version = 0;\n${body}\n`);
      }
      const context = contextIn(ours);
      const measured = await ratio(
        9,
        async (round) => {
          const [old, now] = [round, round + 1];
          const hunks = names.map(
            (name) =>
              `*** Update File: ${name}\n@@\n-let version = ${old};\n+let version = ${now};\n export const v0 = 0;\n export const v1 = 1;`,
          );
          await applyPatchTool.execute({ patch: `*** Begin Patch\n${hunks.join("\n")}\n*** End Patch` }, context);
        },
        async (round) => {
          const [old, now] = [round, round + 1];
          for (const name of names) {
            const file = join(plain, name);
            const text = await readFile(file, "utf8");
            await writeFile(
              file,
              text.replace(`let version = ${old};`, () => `let version = ${now};`),
            );
          }
        },
      );
      return { ...measured, unit: "x", budget: 3 };
    }),
};

export const benches: readonly Bench[] = [oneLine, manyFiles];
