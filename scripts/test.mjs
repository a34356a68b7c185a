// Runs the test suite and prints the result on one line. Arguments are passed to vitest. A test whose system program is
// missing is listed by name as skipped; with LATHE_NO_SKIP=1 (set by .ci/run) that is a failure.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const report = `${root}/.cache/test-report.json`;
const summaryFile = `${root}/.cache/test-summary.json`;

/**
 * This many files may fail once and pass alone, since a noisy machine hits several at once. More than that is no
 * accident.
 */
const MOST_UNSTEADY = 2;

mkdirSync(`${root}/.cache`, { recursive: true });

const first = vitest(process.argv.slice(2));
const summary = first.summary;
let status = first.status;
// A test at a real terminal or over ssh may fail because both cores were busy. If few files fail, they are run once
// more, alone; those that pass then are listed as unsteady, so that their cause gets fixed.
if (summary.failed > 0 && summary.failedFiles.length <= MOST_UNSTEADY && status !== null) {
  console.log(`\nOnce more, alone: ${summary.failedFiles.join(", ")}`);
  const again = vitest([...summary.failedFiles, "--maxWorkers=1"]);
  status = again.status;
  summary.unsteady = summary.failedFiles.filter((name) => !again.summary.failedFiles.includes(name));
  for (const name of summary.failedTests)
    if (!again.summary.failedTests.includes(name)) console.log(`passed alone: ${name}`);
  summary.passed += again.summary.failed === 0 ? summary.failed : 0;
  summary.failed = again.summary.failed;
}
writeFileSync(summaryFile, JSON.stringify(summary));
for (const name of summary.skipped) console.log(`skipped: ${name}`);
for (const name of summary.unsteady) console.log(`unsteady: ${name} failed among the others and passed alone`);
const refused = process.env.LATHE_NO_SKIP === "1" && summary.skipped.length > 0;
if (refused) console.log("A skipped test counts as a failure here: run scripts/setup-system.sh first.");
const also = [
  ...(summary.skipped.length ? [`${summary.skipped.length} skipped`] : []),
  ...(summary.unsteady.length ? [`${summary.unsteady.length} unsteady`] : []),
];
console.log([`${summary.passed} passed`, `${summary.failed} failed`, ...also].join(", "));
process.exit(status !== 0 || summary.failed > 0 || refused ? 1 : 0);

function vitest(args) {
  rmSync(report, { force: true });
  const run = spawnSync(
    process.execPath,
    [
      `${root}/node_modules/vitest/vitest.mjs`,
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...args,
    ],
    { cwd: root, stdio: "inherit", env: { ...process.env, PATH: pathWithPython(), NODE_EXTRA_CA_CERTS: "" } },
  );
  return { status: run.status, summary: summarise() };
}

/** Version managers replace python3 by a script that takes longer to start than python itself. */
function pathWithPython() {
  const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  return status === 0 ? [dirname(stdout), process.env.PATH].join(delimiter) : process.env.PATH;
}

function summarise() {
  const json = JSON.parse(readFileSync(report, "utf8"));
  const tests = json.testResults.flatMap((file) => file.assertionResults);
  // A file that fails to load or to clean up has no failed test, but must still be counted.
  const hasFailed = ({ status }) => status === "failed";
  const brokenFiles = json.testResults.filter((file) => hasFailed(file) && !file.assertionResults.some(hasFailed));
  const failedTests = tests.filter((test) => test.status === "failed").map((test) => test.fullName);
  return {
    passed: tests.filter((test) => test.status === "passed").length,
    failed: failedTests.length + brokenFiles.length,
    failedTests: [...failedTests, ...brokenFiles.map((file) => file.name)],
    failedFiles: json.testResults.filter((file) => file.status === "failed").map((file) => relative(root, file.name)),
    skipped: tests.filter((test) => ["pending", "skipped", "todo"].includes(test.status)).map((test) => test.fullName),
    unsteady: [],
  };
}
