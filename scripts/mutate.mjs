// `npm run mutate [--every n [--offset k]] [word…]`: makes small wrong changes to the code and lists those that no test
// notices. A survivor is a question, not an error: could a user notice it? Words choose targets by their path; with
// --every, only every nth change is tried, starting at the kth. Report: .cache/mutation-report.json.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Lane, share } from "./mutate/lanes.mjs";
import { mutantsOf } from "./mutate/mutants.mjs";
import { TARGETS } from "./mutate/targets.mjs";
import { activate, makeTree, NONE, reachedMutants } from "./mutate/tree.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const work = join(root, ".cache", "mutate");
/** A run with a mutant may take this many times as long as one without. */
const PATIENCE = { times: 5, plusMs: 10_000 };
const BASELINE_MS = 300_000;

const { values, positionals: words } = parseArgs({
  options: { every: { type: "string" }, offset: { type: "string" } },
  allowPositionals: true,
});
const every = Number(values.every ?? 1);
const offset = Number(values.offset ?? 0);
if (!Number.isInteger(every) || every < 1 || !Number.isInteger(offset) || offset < 0 || offset >= every) {
  console.log("--every takes a whole number from 1 on, --offset one from 0 on that is less than it.");
  process.exit(2);
}
const missing = TARGETS.flatMap(({ source, tests }) => [source, ...tests]).filter(
  (file) => !existsSync(join(root, file)),
);
if (missing.length > 0) {
  console.log(`scripts/mutate/targets.mjs names files that are not there: ${[...new Set(missing)].join(", ")}`);
  process.exit(1);
}
const targets = numberMutants(
  TARGETS.filter(({ source }) => words.length === 0 || words.some((word) => source.includes(word))),
);
const mutants = targets
  .flatMap(({ source, tests, mutants: list, first }) =>
    list.map((mutant, index) => ({ ...mutant, source, tests, number: first + index })),
  )
  .filter(({ number }) => number % every === offset);
const files = [...new Set(targets.flatMap(({ tests }) => tests))];
const lanes = Array.from({ length: Math.min(2, availableParallelism()) }, (_, i) => new Lane(join(work, String(i))));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
// An interrupted run still reports what it has found.
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    report();
    void stop().then(() => process.exit(130));
  });

try {
  for (const { folder } of lanes) makeTree(root, folder, targets);
  console.log(`${mutants.length} mutants in ${targets.length} files, ${files.length} test files`);
  const reach = await baseline();
  await share(lanes, mutants, (lane, mutant) => tryOut(lane, mutant, reach));
  report();
} finally {
  await stop();
}

/** Which mutants each test file reaches, and how long it takes. A file that fails without mutants cannot be used. */
async function baseline() {
  const reach = new Map();
  await share(lanes, files, async (lane, file) => {
    activate(lane.folder, NONE);
    const { passed, reason, ms } = await lane.run(file, BASELINE_MS);
    if (!passed) console.log(`left out, because it fails without a mutant: ${file}: ${reason}`);
    reach.set(file, { ms, mutants: passed ? reachedMutants(lane.folder) : new Set() });
  });
  if ([...reach.values()].every(({ mutants: found }) => found.size === 0)) throw new Error("no test reaches a mutant");
  return reach;
}

async function tryOut(lane, mutant, reach) {
  const useful = mutant.tests
    .filter((file) => reach.get(file).mutants.has(mutant.number))
    .sort((a, b) => reach.get(a).ms - reach.get(b).ms);
  let by;
  for (const file of useful) {
    activate(lane.folder, mutant.number);
    const { passed, reason } = await lane.run(file, reach.get(file).ms * PATIENCE.times + PATIENCE.plusMs);
    if (passed) continue;
    by = `${file}: ${reason}`;
    break;
  }
  mutant.state = by !== undefined ? "killed" : useful.length === 0 ? "not reached" : "survived";
  if (by !== undefined) mutant.by = by;
  if (process.stderr.isTTY) process.stderr.write(`\r${mutant.number + 1}/${mutants.length} `);
}

function report() {
  const tried = mutants.filter(({ state }) => state !== undefined);
  for (const { source } of targets) {
    const own = tried.filter((mutant) => mutant.source === source);
    const left = own.filter(({ state }) => state !== "killed");
    console.log(`${score(own).padStart(5)}  ${source}  ${own.length - left.length} of ${own.length} killed`);
    for (const { line, was, text, kind, state } of left) {
      const becomes = kind === "statement" ? "nothing" : text.replace(/\s+/g, " ");
      console.log(
        `       ${line}: ${cut(was.replace(/\s+/g, " "))}  becomes  ${cut(becomes)}${state === "survived" ? "" : "  (not reached)"}`,
      );
    }
  }
  const survived = tried.filter(({ state }) => state !== "killed").length;
  console.log(`${score(tried)} of ${tried.length} mutants killed, ${survived} left`);
  if (tried.length < mutants.length) console.log(`${mutants.length - tried.length} were not tried`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(join(root, ".cache", "mutation-report.json"), JSON.stringify(tried, null, 1));
}

function score(list) {
  const killed = list.filter(({ state }) => state === "killed").length;
  return `${list.length === 0 ? 100 : Math.floor((100 * killed) / list.length)} %`;
}

function cut(text) {
  return text.length > 90 ? `${text.slice(0, 90)}…` : text;
}

function numberMutants(list) {
  let first = 0;
  return list.map((target) => {
    const text = readFileSync(join(root, target.source), "utf8");
    const found = mutantsOf(target.source, text).map((mutant) => ({
      ...mutant,
      was: text.slice(mutant.start, mutant.end),
    }));
    const result = { ...target, mutants: found, first };
    first += found.length;
    return result;
  });
}

async function stop() {
  await Promise.all(lanes.map((lane) => lane.stop()));
}
