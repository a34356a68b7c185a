// Structural search over a bare loop: the same library, in this process, over the files that ripgrep has found.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "@ast-grep/napi";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { CallPaths } from "../src/contract/paths/call-paths.ts";
import { Parser } from "../src/files/parser/parser.ts";
import { runStructure } from "../src/files/structure/run-structure.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";

const ROUNDS = 5;
const SOURCES = fileURLToPath(new URL("../src", import.meta.url));
/** More than there are. */
const MOST_FILES = 100_000;
const PATTERN = "throw new ToolFailure($A)";

export const benches: Bench[] = [
  {
    name: "ast_grep over a bare loop over the files that rg found",
    async run() {
      const env = new LocalEnvironment({ cwd: SOURCES, baseEnv: process.env, search: "ripgrep" });
      const parser = new Parser();
      const signal = new AbortController().signal;
      const services = { vision: false, parser, structure: { maxFiles: MOST_FILES } };
      const search = () =>
        runStructure(
          { rules: [{ pattern: PATTERN }], paths: ["."], most: 1000 },
          { env, signal, services, paths: new CallPaths(env, signal) },
        );
      try {
        const { files } = await env.grep("ToolFailure", ".", {
          globFilter: "*.ts",
          mode: "files_with_matches",
          maxResults: MOST_FILES,
        });
        const { total } = await search();
        const bare = (): number =>
          files.reduce((sum, { path }) => sum + matchesIn(readFileSync(join(SOURCES, path), "utf8")), 0);
        if (bare() !== total || total === 0) throw new Error("the two found different matches");
        let [ours, plain] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
        for (let round = 0; round < ROUNDS; round++) {
          plain = Math.min(plain, await timed(async () => bare()));
          ours = Math.min(ours, await timed(search));
        }
        return ratio(ours, plain, { budget: 1.5, unit: "ms" });
      } finally {
        await parser.close();
        await env.cleanup();
      }
    },
  },
];

const matchesIn = (text: string): number => parse("TypeScript", text).root().findAll(PATTERN).length;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
