// `npm run build`: the libraries as ES modules with declarations, and the command as small CommonJS chunks.
//
// The command is bundled twice: first as ES modules with code splitting (so that what is loaded lazily in the source is a
// chunk of its own), then each chunk is turned into CommonJS, because only scripts can be started from a V8 code cache on
// Node 20. dist/cli.js is the launcher that loads the chunks.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, transform } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const LIBRARIES = ["llm", "agent", "testkit", "lathe"];
const stampFile = join(root, ".cache", "build-stamp");

const CHUNK_PARAMETERS = "exports,require,module,__filename,__dirname,__chunkUrl";

const common = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  conditions: ["lathe-source"],
  loader: { ".md": "text" },
  logLevel: "warning",
};

export async function buildAll() {
  for (const name of LIBRARIES) rmSync(join(root, "packages", name, "dist"), { recursive: true, force: true });
  for (const name of LIBRARIES) await buildLibrary(name);
  await buildCommand();
}

/** Builds the command when a source is newer than its last build. Safe beside other builds and running commands. */
export async function buildIfStale() {
  if (existsSync(stampFile) && existsSync(join(root, "packages/lathe/dist/cli.js"))) {
    const built = statSync(stampFile).mtimeMs;
    if (!newerThan(join(root, "packages"), built) && !newerThan(join(root, "scripts"), built)) return;
  }
  await buildCommand();
}

function newerThan(folder, time) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.name === "dist") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() ? newerThan(path, time) : statSync(path).mtimeMs > time) return true;
  }
  return false;
}

// The command stands in dist itself, so the library of the same package goes below it.
function libraryFolder(name) {
  return join(root, "packages", name, "dist", name === "lathe" ? "lib" : "");
}

async function buildLibrary(name) {
  const folder = join(root, "packages", name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entries = Object.values(manifest.exports)
    .map((target) => target["lathe-source"])
    .filter((source) => existsSync(join(folder, source)));
  await build({
    ...common,
    entryPoints: entries.map((entry) => join(folder, entry)),
    outbase: join(folder, "src"),
    outdir: libraryFolder(name),
    format: "esm",
    splitting: true,
    packages: "external",
  });
}

async function buildCommand() {
  const started = new Date();
  const folder = join(root, "packages", "lathe");
  const dist = join(folder, "dist");
  const version = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const external = [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.optionalDependencies ?? {})];
  const define = { LATHE_VERSION: JSON.stringify(version), "import.meta.url": "__chunkUrl" };

  const bundled = await build({
    ...common,
    entryPoints: { main: join(folder, "src", "cli", "main.ts") },
    outdir: join(dist, "chunks"),
    format: "esm",
    splitting: true,
    // V8 recognises a stale cache by the length of the source alone, so every name carries the hash of its content.
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    minify: true,
    external,
    define,
    metafile: true,
    write: false,
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  });
  mkdirSync(join(dist, "chunks"), { recursive: true });
  const sources = new Map();
  for (const file of bundled.outputFiles) {
    const { code } = await transform(file.text, {
      format: "cjs",
      platform: "node",
      target: "node20.19",
      supported: { "dynamic-import": false },
      minify: true,
    });
    // The launcher reads chunks as latin1. Strings are escaped by the bundler; expressions and raw templates must be by hand.
    const foreign = /[^\x00-\x7f]/.exec(code);
    if (foreign) {
      const place = code.slice(Math.max(0, foreign.index - 40), foreign.index + 20);
      throw new Error(`a chunk is not plain ASCII near: ${place}. Write the character as an escape.`);
    }
    sources.set(basename(file.path), code);
    // Names carry the content's hash: a chunk that is there is the same one, and a running command may still load old ones.
    if (!existsSync(file.path)) replaceFile(file.path, code);
  }
  const mainChunk = [...sources.keys()].find((name) => name.startsWith("main-"));
  const pack = startPack(bundled.metafile, sources);
  if (!existsSync(join(dist, "chunks", pack.name))) replaceFile(join(dist, "chunks", pack.name), pack.code);
  const launcher = await build({
    entryPoints: [join(folder, "src", "launcher", "cli.ts")],
    outfile: join(dist, "cli.js"),
    write: false,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    define: { ...define, LATHE_MAIN_CHUNK: JSON.stringify(mainChunk), LATHE_START_PACK: JSON.stringify(pack.name) },
    banner: { js: "#!/usr/bin/env node" },
  });
  replaceFile(join(dist, "cli.js"), launcher.outputFiles[0].text, 0o755);
  // The package is "type": "module"; the command is not, the library beside it is.
  writeFileSync(join(dist, "package.json"), '{"type":"commonjs"}\n');
  mkdirSync(join(dist, "lib"), { recursive: true });
  writeFileSync(join(dist, "lib", "package.json"), '{"type":"module"}\n');
  writeChunkReport(bundled.metafile, dist);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, "");
  utimesSync(stampFile, started, started);
}

/** What a plain run loads before its first request, as one script: one file, one code cache. */
const START = [
  "src/cli/main.ts",
  "src/cli/launch.ts",
  "src/run/start-headless.ts",
  "src/run/headless.ts",
  "src/modes/print.ts",
  "src/run/signals.ts",
];

function startPack(metafile, sources) {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const wanted = new Set();
  const take = (name) => {
    if (wanted.has(name) || !outputs.has(name)) return;
    wanted.add(name);
    for (const entry of outputs.get(name).imports) if (entry.kind === "import-statement") take(basename(entry.path));
  };
  for (const [name, output] of outputs)
    if (START.some((file) => output.entryPoint?.endsWith(`packages/lathe/${file}`))) take(name);
  const members = [...wanted]
    .sort()
    .map((name) => `${JSON.stringify(name)}:function(${CHUNK_PARAMETERS}){${sources.get(name)}\n}`);
  const code = `({${members.join(",\n")}})`;
  return { name: `start-${createHash("sha256").update(code).digest("hex").slice(0, 8)}.js`, code };
}

function replaceFile(path, content, mode = 0o644) {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, content, { mode });
  renameSync(aside, path);
}

function writeChunkReport(metafile, dist) {
  const rows = Object.entries(metafile.outputs)
    .map(([file, output]) => ({
      chunk: relative("packages/lathe/dist/chunks", file),
      bytes: output.bytes,
      imports: output.imports
        .filter((entry) => entry.kind === "import-statement")
        .map((entry) => entry.path.split("/").pop()),
      sources: Object.fromEntries(
        Object.entries(output.inputs).map(([source, { bytesInOutput }]) => [source, bytesInOutput]),
      ),
    }))
    .sort((a, b) => b.bytes - a.bytes);
  writeFileSync(join(dist, "chunk-report.json"), JSON.stringify(rows, null, 1));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildAll();
  const types = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "tsconfig.build.json")],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  if (types.status !== 0) process.exit(types.status ?? 1);
  for (const name of LIBRARIES)
    cpSync(join(root, ".cache", "types", name, "src"), libraryFolder(name), { recursive: true });
}
