// `npm run test:docs`: follows the README word for word in a fresh clone with an empty home, at a terminal; runs the
// README's commands again without one; runs every code sample of the README and the documentation.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Sample, samplesOf } from "./samples/blocks.ts";
import { makeCiImage } from "./samples/ci-image.ts";
import { checkCiJob } from "./samples/ci-job.ts";
import { dialogFor, follow } from "./samples/follow.ts";
import { ANSWER, keysFor, startSampleModel } from "./samples/model.ts";
import { type Newcomer, newcomer, visitor } from "./samples/newcomer.ts";
import { evaluateInPage } from "./samples/page.ts";
import { compile, promiseProblems, runProgram } from "./samples/programs.ts";
import { Report } from "./samples/report.ts";
import { atTerminal, type Env, withoutTerminal } from "./samples/shells.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const PACKAGES = ["llm", "agent", "tui", "testkit", "lathe"];
/** Programs to run on every runtime we support, not only this one. */
const LIBRARIES = ["README.md", "packages/llm/README.md", "packages/agent/README.md", "docs/embedding.md"];
const pages = [
  "README.md",
  ...PACKAGES.map((name) => `packages/${name}/README.md`),
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

const work = mkdtempSync(join(tmpdir(), "lathe-docs-"));
const server = await startSampleModel();
const report = new Report();
// tmux servers that samples start end with this run.
const tmux = { TMUX_TMPDIR: work };
try {
  const keys = { ...keysFor(server), ...tmux };
  const samples = new Map(pages.map((page) => [page, samplesOf(page, readFileSync(join(root, page), "utf8"))]));
  for (const sample of [...samples.values()].flat())
    if (sample.notRun !== undefined) report.notRun(`${sample.page}:${sample.line}`, sample.notRun);

  const person = newcomer(join(work, "at"), root, keys);
  const prefix = person.env["npm_config_prefix"] ?? "";
  const script = { clone: person.clone, ...visitor(join(work, "without"), root, keys, prefix) };
  const all = [...samples.values()].flat();
  await followAtTerminal(person);
  const withCommand = async (): Promise<void> => {
    await followInScript(script);
    await otherPages(script, samples);
  };
  await Promise.all([withCommand(), programs(person, all.filter(isProgram), all.filter(isPage))]);
} finally {
  spawnSync("tmux", ["kill-server"], { env: { ...process.env, ...tmux }, stdio: "ignore" });
  await server.close();
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(report.end() ? 0 : 1);

function readmeOf({ clone }: Newcomer): readonly Sample[] {
  return samplesOf("README.md", readFileSync(join(clone, "README.md"), "utf8"));
}

/** The whole README: it installs the command that everything after it uses. */
async function followAtTerminal(person: Newcomer): Promise<void> {
  const shell = await atTerminal(person.env, dialogFor);
  try {
    await follow(readmeOf(person), shell, person, report);
  } finally {
    await shell.close();
  }
}

/** The README again, as a script. What it installs is there already. */
async function followInScript(person: Newcomer): Promise<void> {
  const samples = readmeOf(person).map((sample) => ({
    ...sample,
    text: sample.text.replace(/^npm (?:ci|run build|pack|install)\b.*\n/gm, ""),
  }));
  await follow(samples, withoutTerminal(person.env), person, report);
}

/** Each page with its own home and project, and the command installed from the README. */
async function otherPages(installed: Newcomer, samples: ReadonlyMap<string, readonly Sample[]>): Promise<void> {
  const prefix = installed.env["npm_config_prefix"] ?? "";
  for (const [page, list] of samples) {
    if (page === "README.md" || list.length === 0) continue;
    const reader = visitor(join(work, page.replaceAll("/", "-")), root, { ...keysFor(server), ...tmux }, prefix);
    if (page === "docs/ci.md") await ciPage(list, reader, installed);
    else await follow(list, withoutTerminal(reader.env), { ...reader, clone: installed.clone }, report);
  }
}

async function ciPage(
  list: readonly Sample[],
  reader: Omit<Newcomer, "clone">,
  { clone, env: { npm_config_prefix: prefix = "" } }: Newcomer,
): Promise<void> {
  const { ANTHROPIC_BASE_URL = "" } = reader.env;
  const image = makeCiImage(join(work, "ci"), { prefix, env: { ANTHROPIC_BASE_URL } });
  try {
    const env = { ...reader.env, PATH: `${image.bin}:${reader.env["PATH"]}` };
    await follow(list, withoutTerminal(env), { ...reader, clone }, report);
    await checkCiJob("lathe-job.sh", reader.project, env, report);
  } finally {
    image.remove();
  }
}

function isProgram(sample: Sample): boolean {
  return sample.language === "ts" && sample.title === undefined && sample.notRun === undefined;
}

/** A module for a browser. */
function isPage(sample: Sample): boolean {
  return sample.language === "ts" && sample.title === "page.ts";
}

async function programs(
  { clone, env, project }: Newcomer,
  samples: readonly Sample[],
  pageModules: readonly Sample[],
): Promise<void> {
  const packed = join(work, "packed");
  mkdirSync(packed);
  await run("npm", ["pack", "--silent", "--workspaces", "--pack-destination", packed], { cwd: clone, env });
  const tarballs = readdirSync(packed).map((name) => join(packed, name));
  const host = samples.find(({ page }) => page === "packages/agent/README.md");
  checkPromise("the host program of packages/agent/README.md", host, /tools: \[[\s\S]*events\(\)[\s\S]*submit\(/);
  checkPromise("the page of packages/llm/README.md", pageModules[0], /\bstream\(/);
  const place = { folder: join(work, "programs"), tarballs, root, env };
  const { files } = await compile([...samples, ...pageModules], place, report);
  for (const [sample, file] of files) {
    if (pageModules.includes(sample)) {
      await runInPage(sample, file);
      continue;
    }
    const runtimes = LIBRARIES.includes(sample.page) ? [process.execPath, ...otherRuntimes()] : [process.execPath];
    for (const runtime of runtimes) await runOn(runtime, sample, file, { cwd: project, env });
  }
}

function checkPromise(what: string, sample: Sample | undefined, shows: RegExp): void {
  const text = sample?.text ?? "";
  const problems = [...promiseProblems(text), ...(shows.test(text) ? [] : [`it does not show ${shows}`])];
  if (problems.length > 0) report.fail(what, problems.join("\n"));
  else report.ok(`${what}: ${text.trim().split("\n").length} lines without a cast`);
}

async function runInPage(sample: Sample, file: string): Promise<void> {
  const what = `${sample.page}:${sample.line} (chromium)`;
  const baseUrl = JSON.stringify(server.baseUrl("anthropic"));
  const expression = `(async () => {
    let shown = "";
    const tokens = await sample.ask("hi", (text) => { shown += text; }, "sample-key", ${baseUrl});
    return shown + " " + tokens;
  })()`;
  try {
    const said = String(await evaluateInPage(file, expression));
    if (said.startsWith(ANSWER) && / [1-9]\d*$/.test(said)) report.ok(what);
    else report.fail(what, `the page shows: ${said}`);
  } catch (error) {
    report.fail(what, String(error));
  }
}

function otherRuntimes(): string[] {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "lathe-ci");
  const paths = [join(cache, "node24/bin/node"), join(cache, "bun/bin/bun")];
  for (const path of paths) if (!existsSync(path)) throw new Error(`${path} is not there: run scripts/setup-system.sh`);
  return paths;
}

async function runOn(runtime: string, sample: Sample, file: string, place: { cwd: string; env: Env }): Promise<void> {
  const version = execFileSync(runtime, ["--version"], { encoding: "utf8" }).trim();
  const what = `${sample.page}:${sample.line} (${basename(runtime)} ${version})`;
  const hello = join(place.cwd, "hello.txt");
  rmSync(hello, { force: true });
  const output = await runProgram(file, what, { ...place, runtime }, report);
  if (sample.text.includes("hello.txt") && !existsSync(hello))
    report.fail(what, `it did not write hello.txt\n${output}`);
  if (sample.text.includes("tools: [greeting]") && !output.includes("[greeting: ok]"))
    report.fail(what, `its own tool did not run\n${output}`);
}
