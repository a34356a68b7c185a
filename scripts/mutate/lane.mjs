// A process that keeps a test runner over one copy of the project and runs test files on request.
import { createVitest } from "vitest/node";

const root = process.argv[2];
process.chdir(root);

let failure;
const reporter = {
  onTestCaseResult(test) {
    if (test.result().state === "failed") failure ??= test.fullName;
  },
};
const vitest = await createVitest("test", {
  root,
  watch: false,
  reporters: [reporter],
  bail: 1, // one failure is enough
  testTimeout: 120_000, // the first test of a file loads all its sources
  maxWorkers: 1,
  fileParallelism: false,
});
process.on("message", async (file) => {
  failure = undefined;
  const specs = await vitest.globTestSpecifications([file]);
  if (specs.length === 0) throw new Error(`there is no test file ${file}`);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specs, false);
  // The runner also remembers the files of earlier runs.
  const module = testModules.find(({ moduleId }) => moduleId === specs[0].moduleId);
  const reason = failure ?? module?.errors()[0]?.message ?? unhandledErrors[0]?.message;
  const passed = module?.ok() === true && reason === undefined;
  process.send({ passed, reason: String(reason ?? "failed").split("\n")[0] });
});
process.send("ready");
