// `npm run build`: the libraries as ES modules with declarations, and the command as packs.
//
// The command is a launcher, dist/cli.js, and packs of units that it runs (see scripts/bundle): scripts, because only those
// can be started from a V8 code cache on Node 20.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ownDeclarations } from "./bundle/declarations.mjs";
import { mergeDoors } from "./bundle/merge-doors.mjs";
import { makePacks } from "./bundle/packs.mjs";
import { pageFiles } from "./bundle/page.mjs";
import { puppeteerCode } from "./bundle/puppeteer.mjs";
import { collectUnits } from "./bundle/units.mjs";
import { noteUse, usedAtStart } from "./bundle/used-at-start.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const LIBRARIES = ["llm", "agent", "tui", "testkit", "lathe"];
const stampFile = join(root, ".cache", "build-stamp");

/** Library files that run as separate processes. */
const PROGRAMS = ["src/files/parser/main.ts"];

/** What every host loads, one file each. */
const MAIN_DOORS = { llm: ["index.js", "providers/index.js", "schema/index.js"], agent: ["index.js"] };

const common = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  conditions: ["lathe-source"],
  loader: { ".md": "text", ".py": "text", ".text": "text" },
  logLevel: "warning",
};

/** The mark in the stamp that no files of older builds are left, so that the command can be published. */
const ALONE = " alone";

export async function buildAll() {
  const isBuilt = lastBuilt() === `${describeSources()}${ALONE}`;
  for (const name of LIBRARIES)
    rmSync(isBuilt ? libraryFolder(name) : join(root, "packages", name, "dist"), { recursive: true, force: true });
  for (const name of LIBRARIES) await buildLibrary(name);
  if (!isBuilt) await buildCommand();
}

/**
 * Builds the command if its sources have changed since the last build. Safe next to other builds and running commands.
 */
export async function buildIfStale() {
  if (lastBuilt()?.replace(ALONE, "") !== describeSources()) await buildCommand();
}

function lastBuilt() {
  if (!existsSync(stampFile) || !existsSync(join(root, "packages/lathe/dist/cli.js"))) return undefined;
  return readFileSync(stampFile, "utf8");
}

/** A hash of the list of sources, their sizes and modification times. */
function describeSources() {
  const hash = createHash("sha256");
  const add = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name === "node_modules" || entry.name === "dist") continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) add(path);
      else {
        const { size, mtimeMs } = lstatSync(path);
        hash.update(`${path} ${size} ${mtimeMs}\n`);
      }
    }
  };
  for (const folder of ["packages", "scripts", "docs"]) add(join(root, folder));
  return hash.digest("hex");
}

// The command is in dist itself, so the library of the same package goes below it.
function libraryFolder(name) {
  return join(root, "packages", name, "dist", name === "lathe" ? "lib" : "");
}

export async function buildLibrary(name, outdir = libraryFolder(name)) {
  const folder = join(root, "packages", name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const targets = Object.values(manifest.exports).filter((target) => existsSync(join(folder, target["lathe-source"])));
  const files = (some) => some.map((target) => join(folder, target["lathe-source"]));
  const library = { ...common, outbase: join(folder, "src"), format: "esm", splitting: true, packages: "external" };
  const { metafile } = await build({ ...library, entryPoints: files(targets), outdir, metafile: true });
  // The package is "type": "module"; the command in dist is not, the library below it is.
  if (name === "lathe") writeFileSync(join(outdir, "package.json"), '{"type":"module"}\n');
  const doors = MAIN_DOORS[name];
  if (doors) await mergeDoors(outdir, doors, { ...common, format: "esm" }, metafile.outputs);
  const programs = PROGRAMS.map((file) => join(folder, file)).filter((file) => existsSync(file));
  // These are separate files: a process that runs one does not need the library.
  const chunkNames = "programs/[name]-[hash]";
  if (programs.length > 0) await build({ ...library, entryPoints: programs, outdir, chunkNames });
  const forPages = targets.filter(({ browser }) => browser !== undefined);
  if (forPages.length === 0) return;
  await build({
    ...library,
    entryPoints: files(forPages),
    outdir: join(outdir, "browser"),
    platform: "browser",
    target: "es2022",
    plugins: [browserFiles],
  });
}

/** For pages, a file `x.browser.ts` replaces `x.ts`. */
const browserFiles = {
  name: "browser-files",
  setup(builder) {
    builder.onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path.replace(/\.ts$/, ".browser.ts"));
      return existsSync(file) ? { path: file } : undefined;
    });
  },
};

async function buildCommand() {
  const sources = describeSources();
  const folder = join(root, "packages", "lathe");
  const dist = join(folder, "dist");
  const isAlone = !existsSync(join(dist, "packs"));
  const version = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const external = [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.optionalDependencies ?? {})];
  const define = { LATHE_VERSION: JSON.stringify(version), "import.meta.url": "__fileUrl" };

  const units = await collectUnits(join(folder, "src", "cli", "main.ts"), {
    indexes: packageIndexes(),
    external,
    define,
  });
  const main = join(folder, "src", "cli", "main.ts");
  const start = START.map((file) => join(folder, file));
  const launcher = join(folder, "src", "platform", "launcher");
  const { SUBCOMMANDS } = await evaluateSource(join(folder, "src", "platform", "options", "option-table.ts"));
  const launcherFor = (startPack, file = "cli.ts") =>
    launcherCode(join(launcher, file), {
      ...define,
      LATHE_COMMANDS: JSON.stringify(` ${Object.keys(SUBCOMMANDS).join(" ")} `),
      LATHE_START_PACK: JSON.stringify(startPack.name),
    });
  const runtimeFor = (fallbacks, entries) =>
    launcherCode(join(launcher, "runtime.ts"), {
      LATHE_MAIN: String(units.get(main).id),
      LATHE_UNIT_COUNT: String(units.size),
      LATHE_FALLBACK_PACKS: JSON.stringify(fallbacks),
      LATHE_ANSWER_PACK: JSON.stringify(fallbacks[0]),
      LATHE_PACKS: JSON.stringify(entries),
    });
  const used = await usedAtStart(
    async (trial) => {
      const packs = await makePacks(units, start, runtimeFor);
      mkdirSync(join(trial, "packs"));
      for (const [index, { name, code }] of packs.entries())
        writeFileSync(join(trial, "packs", name), index === 0 ? noteUse(code) : code);
      writeFileSync(join(trial, "cli.js"), await launcherFor(packs[0]));
    },
    await shortAnswers(),
  );
  for (const file of WITHOUT_GIT) used?.plain.add(units.get(join(root, "packages", file)).id);
  const packs = await makePacks(units, start, runtimeFor, used);
  mkdirSync(join(dist, "packs"), { recursive: true });
  // Names contain a hash of the content: a pack that exists is the same one, and a running command may still load old
  // packs.
  for (const { name, code } of packs) {
    const file = join(dist, "packs", name);
    if (!existsSync(file)) replaceFile(file, code);
  }
  removeOldPacks(join(dist, "packs"), new Set(packs.map(({ name }) => name)));
  replaceFile(join(dist, "cli.js"), `#!/usr/bin/env node\n${await launcherFor(packs[0])}`, 0o755);
  replaceFile(join(dist, "product.js"), await launcherFor(packs[0], "product.ts"));
  writeFileSync(join(dist, "package.json"), '{"type":"commonjs"}\n');
  copyDocs(join(dist, "docs"));
  await buildParser(join(dist, "parser"), external);
  mkdirSync(join(dist, "browser"), { recursive: true });
  replaceFile(join(dist, "browser", "puppeteer.js"), await puppeteerCode());
  mkdirSync(join(dist, "web"), { recursive: true });
  for (const [name, content] of Object.entries(await pageFiles())) replaceFile(join(dist, "web", name), content);
  writeReport(packs, units, dist);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${sources}${isAlone ? ALONE : ""}`);
}

/** The pages that `lathe://` shows. */
function copyDocs(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(join(root, "docs")))
    if (name.endsWith(".md")) cpSync(join(root, "docs", name), join(folder, name));
}

/**
 * The parser process, as modules, so that each kind of file loads only what it needs. Native code is not part of it.
 */
async function buildParser(folder, external) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [join(root, "packages", "agent", "src", "files", "parser", "main.ts")],
    outdir: folder,
    write: false,
    format: "esm",
    splitting: true,
    minify: true,
    external,
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}\n');
  // The file that names the others comes last, since a command may start at any time.
  const isMain = ({ path }) => basename(path) === "main.js";
  for (const file of outputFiles.sort((a, b) => isMain(a) - isMain(b))) replaceFile(file.path, file.contents);
  removeOldPacks(folder, new Set(["package.json", ...outputFiles.map(({ path }) => basename(path))]));
}

async function launcherCode(entry, define) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    outfile: "cli.js",
    write: false,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    define,
  });
  return outputFiles[0].text;
}

/** Short answers of the vendors, by a part of the request's path. */
async function shortAnswers() {
  const from = (file) => JSON.stringify(join(root, "packages", "testkit", "src", file));
  const contents = `export { renderStream } from ${from("prerender.ts")}; export { turn } from ${from("turn.ts")};`;
  const outfile = join(root, ".cache", `testkit-${process.pid}.mjs`);
  await build({ ...common, stdin: { contents, resolveDir: root }, format: "esm", outfile });
  const { renderStream, turn } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  const bytes = (dialect) => renderStream(turn.text("ok"), dialect);
  return { "/messages": bytes("anthropic"), "/responses": bytes("responses"), GenerateContent: bytes("gemini") };
}

/** The exports of a source file that has no imports. */
async function evaluateSource(path) {
  const { outputFiles } = await build({ entryPoints: [path], write: false, bundle: true, format: "esm" });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

/** The index file of each specifier under which one of our packages can be imported. */
function packageIndexes() {
  const indexes = {};
  for (const name of LIBRARIES) {
    const folder = join(root, "packages", name);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    for (const [path, target] of Object.entries(manifest.exports))
      indexes[join(manifest.name, path)] = join(folder, target["lathe-source"]);
  }
  return indexes;
}

/** What a plain run uses before its first request, as one script: one file, one code cache. */
const START = [
  "src/cli/main.ts",
  "src/cli/launch.ts",
  "src/hosts/start-headless.ts",
  "src/hosts/headless/headless.ts",
  "src/hosts/print.ts",
  "src/models/initial-model.ts",
  "src/platform/machine/signals.ts",
];

/** What a start uses if git does not report the branch in time; a trial run meets that only by chance. */
const WITHOUT_GIT = ["agent/src/world/env/file-bytes.ts", "agent/src/world/env/lines.ts"];

const OLD_MS = 15 * 60_000;

function removeOldPacks(folder, current) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (!current.has(name) && Date.now() - statSync(file).mtimeMs > OLD_MS) rmSync(file);
  }
}

function replaceFile(path, content, mode = 0o644) {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, content, { mode });
  renameSync(aside, path);
}

/** The size of each pack and of its parts. */
function writeReport(packs, units, dist) {
  const rows = packs
    .map(({ name, code, keys }) => ({
      pack: name,
      bytes: code.length,
      units: Object.fromEntries(keys.map((key) => [relative(root, key), units.get(key).code.length])),
    }))
    .sort((a, b) => b.bytes - a.bytes);
  writeFileSync(join(dist, "pack-report.json"), JSON.stringify(rows, null, 1));
}

/** Without type checking, which takes a quarter of the time; `npm run check` does it once. */
function buildDeclarations() {
  const args = [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "tsconfig.build.json")];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) return status ?? 1;
  const types = join(root, ".cache", "types");
  for (const name of LIBRARIES)
    if (name !== "lathe") cpSync(join(types, name, "src"), libraryFolder(name), { recursive: true });
  const indexes = Object.fromEntries(
    Object.entries(packageIndexes()).map(([specifier, file]) => [
      specifier,
      join(types, relative(join(root, "packages"), file).replace(/\.ts$/, ".d.ts")),
    ]),
  );
  const manifest = JSON.parse(readFileSync(join(root, "packages", "lathe", "package.json"), "utf8"));
  for (const [path, text] of ownDeclarations({ types, own: "lathe", manifest, indexes })) {
    const file = join(libraryFolder("lathe"), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildAll();
  const status = buildDeclarations();
  if (status !== 0) process.exit(status);
}
