// Runs the test suite and says at the end, in one line, how it went. Arguments are passed on to vitest.
// A test whose system part is missing is listed by name as skipped; with LATHE_NO_SKIP=1 (set by .ci/run) that is a failure.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const report = `${root}/.cache/test-report.json`;
const summaryFile = `${root}/.cache/test-summary.json`;

mkdirSync(`${root}/.cache`, { recursive: true });
rmSync(report, { force: true });

const run = spawnSync(
  process.execPath,
  [
    `${root}/node_modules/vitest/vitest.mjs`,
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, NODE_EXTRA_CA_CERTS: "" } },
);

const summary = summarise();
writeFileSync(summaryFile, JSON.stringify(summary));
for (const name of summary.skipped) console.log(`skipped: ${name}`);
const refused = process.env.LATHE_NO_SKIP === "1" && summary.skipped.length > 0;
if (refused) console.log("A skipped test counts as a failure here: run scripts/setup-system.sh first.");
console.log(
  `${summary.passed} passed, ${summary.failed} failed${summary.skipped.length ? `, ${summary.skipped.length} skipped` : ""}`,
);
process.exit(run.status !== 0 || summary.failed > 0 || refused ? 1 : 0);

function summarise() {
  const json = JSON.parse(readFileSync(report, "utf8"));
  const tests = json.testResults.flatMap((file) => file.assertionResults);
  // A file that fails to load has no tests of its own; it must not vanish from the count.
  const brokenFiles = json.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  return {
    passed: tests.filter((test) => test.status === "passed").length,
    failed: tests.filter((test) => test.status === "failed").length + brokenFiles.length,
    skipped: tests.filter((test) => ["pending", "skipped", "todo"].includes(test.status)).map((test) => test.fullName),
  };
}
