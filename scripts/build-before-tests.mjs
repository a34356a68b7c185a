// Builds the command before the tests if a selected test runs the built command, itself or through a shared file. Tests
// of a library need no build.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildIfStale } from "./build.mjs";

/** The names by which tests of the command use the build. */
const RUNS_BUILT = /\bCLI\b|\.runBuilt\(|(?<!Conversation)\.start\(|\bTerminal\b|NODE_OPTIONS|"rpc"/;
/** This file supports both ways. */
const OFFERS = /\/lathe\/test\/command\.ts$/;

export async function setup({ vitest }) {
  const selected = await vitest.globTestSpecifications(vitest.filenamePattern ?? []);
  const known = new Map();
  if (selected.some(({ moduleId }) => runsBuilt(moduleId, known))) await buildIfStale();
}

function runsBuilt(file, known) {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false); // set before recursion, since files may import each other
  const text = readFileSync(file, "utf8");
  const imported = [...text.matchAll(/from "(\.[^"]*\.ts)"/g)]
    .map(([, path]) => join(dirname(file), path))
    .filter((path) => existsSync(path)); // code samples inside a test name files that do not exist
  const runs =
    (/\/lathe\/(test|bench)\//.test(file) && RUNS_BUILT.test(text) && !OFFERS.test(file)) ||
    imported.some((path) => !path.includes("/src/") && runsBuilt(path, known));
  known.set(file, runs);
  return runs;
}
