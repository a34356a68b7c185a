// "Fix the failing test": run the project's tests, follow the failure to the code, and try small changes there until the tests
// pass. Every change is made with the edit tool and taken back when it does not help.

import { posix } from "node:path";
import { bash, exitCodeOf, jobOf, linesOf, type Outcome, type Play, read, type Step, stdoutOf } from "../play.ts";
import { type Mutation, mutations } from "../repair/mutations.ts";
import { filesInOutput, isTestFile, localImports, suspectLines } from "../repair/suspects.ts";

const MOST_ATTEMPTS = 80;

const couldNot = ({ text }: Outcome): string => `I need to run commands for this, but could not: ${text}`;

export function* fixFailingTest(): Play {
  const looked = yield bash(
    "ls -A && pwd",
    "I am the practice model, a script: I will find the tests, see why they fail, and try small changes until they pass.",
  );
  if (exitCodeOf(looked) !== 0) return couldNot(looked);
  const names = stdoutOf(looked).split("\n");
  const cwd = names.pop() ?? "";
  const command = testCommand(names);
  if (!command)
    return "I found no way to run tests here (no package.json, pyproject.toml, go.mod, Cargo.toml or Makefile).";

  const first = yield bash(command, `The tests run with \`${command}\`.`);
  if (exitCodeOf(first) === 0) return "All tests pass already; there is nothing to fix.";
  const job = jobOf(first);
  if (job !== undefined) return `The tests go on in the background as job ${job}. Ask me again to wait for them.`;
  if (exitCodeOf(first) === -1) return couldNot(first);

  const inProject = filesInOutput(first.text)
    .map((path) => (path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path))
    .filter((path) => !path.startsWith("/"));
  const tests = inProject.filter(isTestFile);
  if (tests.length === 0) return `The tests fail, but the output does not name a test file:\n\n${first.text}`;

  const suspects = new Set(inProject.filter((path) => !isTestFile(path)));
  let testSource = "";
  for (const test of tests) {
    const source = linesOf(yield read(test, `A failure points at ${test}.`)).join("\n");
    testSource += `${source}\n`;
    for (const target of localImports(source)) suspects.add(posix.normalize(posix.join(posix.dirname(test), target)));
  }

  let attempts = 0;
  for (const path of suspects) {
    const before = yield read(path, `The code under test is in ${path}.`);
    if (before.isError) continue;
    const lines = linesOf(before);
    for (const mutation of mutations(lines, suspectLines(lines, testSource))) {
      if (unique(lines, mutation) === undefined) continue;
      if (++attempts > MOST_ATTEMPTS) return giveUp(attempts - 1);
      const outcome = yield* tryChange(path, lines, mutation, command);
      if (outcome) {
        return `Fixed: ${path}, line ${mutation.line + 1}, after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}. All tests pass.\n\n\`\`\`diff\n- ${mutation.before.trim()}\n+ ${mutation.after.trim()}\n\`\`\``;
      }
    }
  }
  return giveUp(attempts);
}

const giveUp = (attempts: number): string =>
  `I tried ${attempts} small changes and none made the tests pass; the files are unchanged. This needs a real model.`;

/** True when the tests pass with the change; otherwise the file is as before. */
function* tryChange(
  path: string,
  lines: readonly string[],
  mutation: Mutation,
  command: string,
): Generator<Step, boolean, Outcome> {
  const place = unique(lines, mutation);
  if (!place) return false;
  const changed = yield edit(
    path,
    place.before,
    place.after,
    `Line ${mutation.line + 1} might be meant as \`${mutation.after.trim()}\``,
  );
  if (changed.isError) return false;
  const result = yield bash(command);
  if (exitCodeOf(result) === 0) return true;
  yield edit(path, place.after, place.before, "That was not it; reverting.");
  return false;
}

function edit(path: string, before: string, after: string, say: string): Step {
  return { say, call: { name: "edit", args: { file_path: path, old_string: before, new_string: after } } };
}

/** The line with enough neighbours to be unique in the file, before and after the change. */
function unique(lines: readonly string[], mutation: Mutation): { before: string; after: string } | undefined {
  const text = lines.join("\n");
  for (let around = 0; around <= 4; around++) {
    const from = Math.max(0, mutation.line - around);
    const above = lines.slice(from, mutation.line);
    const below = lines.slice(mutation.line + 1, mutation.line + 1 + around);
    const before = [...above, mutation.before, ...below].join("\n");
    const after = [...above, mutation.after, ...below].join("\n");
    const changed = [...lines.slice(0, mutation.line), mutation.after, ...lines.slice(mutation.line + 1)].join("\n");
    if (occursOnce(text, before) && occursOnce(changed, after)) return { before, after };
  }
  return undefined;
}

const occursOnce = (text: string, part: string): boolean =>
  text.indexOf(part) >= 0 && text.indexOf(part) === text.lastIndexOf(part);

function testCommand(names: readonly string[]): string | undefined {
  const has = (name: string): boolean => names.includes(name);
  if (has("package.json")) return "npm test --silent";
  if (
    has("pyproject.toml") ||
    has("pytest.ini") ||
    has("setup.py") ||
    names.some((name) => /^test.*\.py$/.test(name))
  ) {
    return "python3 -m pytest -q 2>&1 || python3 -m unittest -q";
  }
  if (has("go.mod")) return "go test ./...";
  if (has("Cargo.toml")) return "cargo test --quiet";
  return has("Makefile") ? "make -s test" : undefined;
}
