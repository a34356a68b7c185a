// `npm run check`: everything that can be checked without running the product. Each step prints one line; all steps
// run, two at a time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { checkExports } from "./check/exports.mjs";
import { checkFileSizes } from "./check/file-size.mjs";
import { checkFunctionSizes } from "./check/function-size.mjs";
import { checkLinks } from "./check/links.mjs";
import { checkPackages } from "./check/packages.mjs";
import { checkProgress } from "./check/progress.mjs";
import { checkTraces } from "./check/traces.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A build that several steps share. They wait for it, so it comes first. */
const built = node("scripts/build.mjs");
const afterBuild = (check) => async () => ((await built).length === 0 ? check() : ["The build failed."]);

const steps = [
  ["build", () => built],
  ["types", () => tool("typescript/bin/tsc", ["-p", "."])],
  ["types of the page", () => tool("typescript/bin/tsc", ["-p", "packages/web"])],
  ["unused code and dependencies", () => tool("knip/bin/knip.js", ["--no-progress"])],
  ["lint and format", () => tool("@biomejs/biome/bin/biome", ["check", "--error-on-warnings", "."])],
  ["layers", () => tool("vitest/vitest.mjs", ["run", "scripts/layers.test.ts", "--reporter=dot"])],
  ["file size", () => checkFileSizes(root)],
  ["function size", () => checkFunctionSizes(root)],
  ["progress against test titles", () => checkProgress(root)],
  ["no machine paths or hosts", () => checkTraces(root)],
  ["links between pages", () => checkLinks(root)],
  ["declarations of the packages", afterBuild(() => checkExports(root, { areMade: true }))],
  ["packages as they are published", afterBuild(() => checkPackages(root))],
];

let failed = 0;
const waiting = [...steps];
const lane = async () => {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const [name, run] = step;
    const problems = await run();
    console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${name}`);
    for (const problem of problems) console.log(problem);
    if (problems.length > 0) failed++;
  }
};
await Promise.all([lane(), lane()]);
if (failed > 0) console.log(`${failed} of ${steps.length} checks failed`);
process.exit(failed > 0 ? 1 : 0);

function tool(file, args) {
  return node(`node_modules/${file}`, args);
}

/** @returns the program's output if it failed, otherwise nothing */
async function node(file, args = []) {
  const child = spawn(process.execPath, [`${root}/${file}`, ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: "" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  const [code] = await once(child, "close");
  return code === 0 ? [] : [output.trimEnd()];
}
