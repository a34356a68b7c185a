// `npm run check`: everything that can be judged without running the product. Each step prints one line; all steps run.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { checkExports } from "./check/exports.mjs";
import { checkFileSizes } from "./check/file-size.mjs";
import { checkFunctionSizes } from "./check/function-size.mjs";
import { checkLinks } from "./check/links.mjs";
import { checkPackages } from "./check/packages.mjs";
import { checkProgress } from "./check/progress.mjs";
import { checkTraces } from "./check/traces.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const steps = [
  ["types", () => tool("typescript/bin/tsc", ["-p", "."])],
  ["declarations of the packages", () => checkExports(root)],
  ["lint and format", () => tool("@biomejs/biome/bin/biome", ["check", "--error-on-warnings", "."])],
  ["layers", () => tool("vitest/vitest.mjs", ["run", "scripts/layers.test.ts", "--reporter=dot"])],
  ["file size", () => checkFileSizes(root)],
  ["function size", () => checkFunctionSizes(root)],
  ["unused code and dependencies", () => tool("knip/bin/knip.js", ["--no-progress"])],
  ["progress against test titles", () => checkProgress(root)],
  ["no machine paths or hosts", () => checkTraces(root)],
  ["links between pages", () => checkLinks(root)],
  ["packages as they are published", () => checkPackages(root)],
];

let failed = 0;
for (const [name, run] of steps) {
  const problems = await run();
  console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${name}`);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) failed++;
}
if (failed > 0) console.log(`${failed} of ${steps.length} checks failed`);
process.exit(failed > 0 ? 1 : 0);

function tool(file, args) {
  const run = spawnSync(process.execPath, [`${root}/node_modules/${file}`, ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_EXTRA_CA_CERTS: "" },
  });
  return run.status === 0 ? [] : [`${run.stdout}${run.stderr}`.trimEnd()];
}
