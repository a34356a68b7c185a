// The GitHub Action and the Containerfile of the repository: their steps are run by a shell. Only npm and apt-get, which would use
// the network, are replaced; the command and its requests are real.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startModelServer, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CLI } from "./command.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);

let box: string;
beforeEach(async () => {
  box = await mkdtemp(join(tmpdir(), "ci-"));
  for (const name of ["bin", "home", "project", "temp"]) await mkdir(join(box, name));
});
afterEach(() => rm(box, { recursive: true, force: true }));

/** A program on PATH. */
const program = (name: string, script: string): Promise<void> =>
  writeFile(join(box, "bin", name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });

/** It records its arguments, and creates what `npm pack` creates. */
const recordingNpm = (): Promise<void> =>
  program(
    "npm",
    `echo "npm $*" >> "${box}/calls"; if [ "$1" = pack ]; then echo packed > "\${@: -1}/lathe-0.1.0.tgz"; fi`,
  );
const calls = async (): Promise<readonly string[]> => (await readFile(join(box, "calls"), "utf8")).trim().split("\n");

interface Step {
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function action(): Promise<{
  readonly inputs: Readonly<Record<string, { readonly default: string; readonly description: string }>>;
  readonly steps: readonly Step[];
}> {
  const { inputs, runs } = parse(await readFile(join(ROOT, "action.yml"), "utf8"));
  expect(runs.using).toBe("composite");
  return { inputs, steps: runs.steps };
}

/** Runs a step like the runner: inputs become variables, and a bash script ends at the first failing line. */
async function runStep({ run: script, env = {} }: Step, inputs: Readonly<Record<string, string>>, more = {}) {
  const variables = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => inputs[input] ?? "undeclared"),
  ]);
  expect(script, "expressions inside a script would let text of a pull request run as code").not.toContain("${{");
  const done = run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd: join(box, "project"),
    env: {
      PATH: `${join(box, "bin")}:${process.env["PATH"]}`,
      HOME: join(box, "home"),
      RUNNER_TEMP: join(box, "temp"),
      GITHUB_PATH: join(box, "path"),
      GITHUB_OUTPUT: join(box, "output"),
      ...Object.fromEntries(variables),
      ...more,
    },
  });
  done.child.stdin?.end();
  return done.then(
    () => 0,
    (error: { code: number }) => error.code,
  );
}

describe("the GitHub Action", () => {
  it("builds Lathe from its own checkout and puts it on the path of later steps", async () => {
    await recordingNpm();
    const { steps } = await action();
    expect(await runStep(steps[0] as Step, {})).toBe(0);
    expect(await calls()).toEqual([
      "npm ci",
      "npm run build",
      `npm pack --silent --workspace packages/lathe --pack-destination ${box}/temp`,
      `npm install --global --prefix ${box}/temp/lathe ${box}/temp/lathe-0.1.0.tgz`,
    ]);
    expect(await readFile(join(box, "path"), "utf8")).toBe(`${box}/temp/lathe/bin\n`);
  });

  it("runs a prompt with its budgets, whatever is in it, and hands on the answer and the exit code", async () => {
    await program("lathe", `exec "${process.execPath}" "${CLI}" "$@"`);
    await using server = await startModelServer({ script: [turn.text("two\nlines")] });
    const { inputs, steps } = await action();
    const defaults = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]));
    const prompt = `--help $(touch "${box}/injected")`;
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.baseUrl("openai") };
    const values = { ...defaults, prompt, model: "openai/gpt-5.2" };
    expect(await runStep(steps[1] as Step, values, env)).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body)).toContain("--help $(touch");
    await expect(readFile(join(box, "injected"))).rejects.toThrow("ENOENT");
    expect(await readFile(join(box, "output"), "utf8")).toMatch(/^exit-code=0\ntext<<(\S+)\ntwo\nlines\n\n?\1\n$/);
    expect(await runStep(steps[1] as Step, { ...values, model: "openai/nothing-like-it" }, env)).toBe(2);
    expect(await readFile(join(box, "output"), "utf8")).toContain("exit-code=2\n");
    server.push(turn.text("Nothing to do."));
    expect(await runStep(steps[1] as Step, { ...values, check: "true", "require-verified": "true" }, env)).toBe(1);
  });

  it("reviews the range that is named when there is no prompt", async () => {
    await program("lathe", `printf '%s\\n' "$@" > "${box}/words"; echo '{}'; exit 3`);
    const { inputs, steps } = await action();
    const defaults = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]));
    expect(await runStep(steps[1] as Step, { ...defaults, review: "main...HEAD" })).toBe(3);
    expect((await readFile(join(box, "words"), "utf8")).trim().split("\n")).toEqual(
      "review main...HEAD --json --max-cost 1 --max-time 15m".split(" "),
    );
    expect(await readFile(join(box, "output"), "utf8")).toMatch(/^exit-code=3\n/);
  });
});

it("the steps of the Containerfile run in their order, and build and install what the repository packs", async () => {
  await recordingNpm();
  await program("apt-get", `echo "apt-get $*" >> "${box}/calls"`);
  const text = await readFile(join(ROOT, "Containerfile"), "utf8");
  const steps = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(steps.map((line) => line.split(" ")[0])).toEqual(
    "ARG FROM WORKDIR COPY RUN RUN RUN FROM RUN COPY RUN WORKDIR ENTRYPOINT".split(" "),
  );
  // Both stages use this machine's folder instead of their own /tmp.
  for (const step of steps.filter((line) => line.startsWith("RUN ")))
    await runStep({ run: step.slice(4).replaceAll("/tmp", join(box, "temp")).replace("/var/lib/apt", box) }, {});
  expect(await calls()).toEqual([
    "npm ci",
    "npm run build",
    `npm pack --silent --workspace packages/lathe --pack-destination ${box}/temp`,
    "apt-get update",
    "apt-get install -y --no-install-recommends ca-certificates git jq",
    `npm install --global ${box}/temp/lathe-0.1.0.tgz`,
  ]);
});
