// Builds the command before the tests when one of those selected runs what is built, itself or in a file that it shares with other
// tests. A test of a library builds nothing.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildIfStale } from "./build.mjs";

/** How tests of the command say that they run what is built. */
const RUNS_BUILT = /\bCLI\b|\.runBuilt\(|(?<!Conversation)\.start\(|\bTerminal\b|NODE_OPTIONS|"rpc"/;
/** It offers both ways. */
const OFFERS = /\/lathe\/test\/command\.ts$/;

export async function setup({ vitest }) {
  const selected = await vitest.globTestSpecifications(vitest.filenamePattern ?? []);
  const known = new Map();
  if (selected.some(({ moduleId }) => runsBuilt(moduleId, known))) await buildIfStale();
}

function runsBuilt(file, known) {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false); // while it is looked at: files may import each other
  const text = readFileSync(file, "utf8");
  const imported = [...text.matchAll(/from "(\.[^"]*\.ts)"/g)]
    .map(([, path]) => join(dirname(file), path))
    .filter((path) => existsSync(path)); // a sample of code inside a test names files that are not there
  const runs =
    (/\/lathe\/(test|bench)\//.test(file) && RUNS_BUILT.test(text) && !OFFERS.test(file)) ||
    imported.some((path) => !path.includes("/src/") && runsBuilt(path, known));
  known.set(file, runs);
  return runs;
}
