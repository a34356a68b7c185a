// "Fix the failing test": runs the tests, follows the failure to the code, and tries the one repair that the practice
// model knows: a bound that excludes its own value. That is the bug of the sample project.

import { posix } from "node:path";
import { bash, exitCodeOf, jobOf, linesOf, type Outcome, type Play, read, type Step, stdoutOf } from "../play.ts";

const TEST_COMMAND = "npm test --silent";

export function* fixFailingTest(): Play {
  const names = yield bash(
    "ls -A",
    "I am the practice model, a script: I will run the tests, see why they fail, and try a small change.",
  );
  if (exitCodeOf(names) !== 0) return couldNotRun(names);
  if (!stdoutOf(names).split("\n").includes("package.json"))
    return "I found no way to run tests here: there is no package.json.";

  const failure = yield bash(TEST_COMMAND, `The tests run with \`${TEST_COMMAND}\`.`);
  if (exitCodeOf(failure) === 0) return "All tests pass already; there is nothing to fix.";
  const job = jobOf(failure);
  if (job !== undefined) return `The tests go on in the background as job ${job}. Ask me again to wait for them.`;
  if (exitCodeOf(failure) === -1) return couldNotRun(failure);

  const test = /(?<=\/|\s)(?:test|src)\/[\w./-]+\.test\.[cm]?js/.exec(failure.text)?.[0];
  if (test === undefined) return `The tests fail, but the output does not name a test file:\n\n${failure.text}`;
  const imported = /from "(\.[^"]+)"/.exec(linesOf(yield read(test, `A failure points at ${test}.`)).join("\n"))?.[1];
  if (imported === undefined) return NEEDS_REAL_MODEL;
  const path = posix.join(posix.dirname(test), imported);
  const lines = linesOf(yield read(path, `The code under test is in ${path}.`));
  const index = lines.findIndex((text, i) => BOUND.test(text) && lines.indexOf(text) === i);
  if (index === -1) return NEEDS_REAL_MODEL;
  const before = lines[index]!;
  const after = before.replace(BOUND, "$1=");
  yield edit(path, before, after, `Line ${index + 1} might be meant as \`${after.trim()}\``);
  if (exitCodeOf(yield bash(TEST_COMMAND)) === 0)
    return `Fixed: ${path}, line ${index + 1}. All tests pass.\n\n\`\`\`diff\n- ${before.trim()}\n+ ${after.trim()}\n\`\`\``;
  yield edit(path, after, before, "That was not it; reverting.");
  return NEEDS_REAL_MODEL;
}

const BOUND = /(?<= )([<>])(?= )/;

const NEEDS_REAL_MODEL =
  "I know one small repair, and it does not help here; the files are unchanged. This needs a real model.";

const couldNotRun = ({ text }: Outcome): string => `I need to run commands for this, but could not: ${text}`;

function edit(path: string, before: string, after: string, say: string): Step {
  return { say, call: { name: "edit", args: { file_path: path, old_string: before, new_string: after } } };
}
