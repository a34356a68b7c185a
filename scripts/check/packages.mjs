// Checks the packages as they are published: packs the build and looks at the tarballs.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { linksOf } from "./links.mjs";
import { packedTypesProblems } from "./packed-types.mjs";

export async function checkPackages(root) {
  const folder = mkdtempSync(join(tmpdir(), "lathe-packed-"));
  try {
    const output = execFileSync("npm", ["pack", "--json", ...workspaceArguments(root), "--pack-destination", folder], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const packed = Object.values(JSON.parse(output));
    const problems = await Promise.all(packed.map((one) => problemsOf(root, folder, one)));
    const product = packed.find(({ name }) => name === "lathe");
    return [
      ...problems.flat(),
      ...hostProblems(root, folder, packed),
      ...packedTypesProblems(root, join(folder, product.filename)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The page is published inside the command's package. */
function workspaceArguments(root) {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const isPrivate = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).private === true;
  return workspaces.filter((folder) => !isPrivate(folder)).map((folder) => `--workspace=${folder}`);
}

async function problemsOf(root, folder, { name, filename, files }) {
  const home = join(root, "packages", name.replace("@lathe/", ""));
  const tarball = join(folder, filename);
  const found = [
    ...contentProblems(root, home, new Set(files.map(({ path }) => path))),
    ...(await publintProblems(tarball)),
    ...(await typeProblems(root, tarball)),
  ];
  return found.map((problem) => `${name}: ${problem}`);
}

function contentProblems(root, home, paths) {
  const problems = ["README.md", "LICENSE"].filter((path) => !paths.has(path)).map((path) => `no ${path}`);
  if (problems.length > 0) return problems;
  if (readFileSync(join(home, "LICENSE"), "utf8") !== readFileSync(join(root, "LICENSE"), "utf8"))
    problems.push("its LICENSE differs from the repository's");
  const pages = [...paths].filter((path) => path === "README.md" || path.startsWith("docs/"));
  for (const page of pages)
    for (const link of linksOf(readFileSync(join(home, page), "utf8")))
      if (!paths.has(join(dirname(page), link.split("#")[0])))
        problems.push(`${page} links to ${link}, which is not in the package`);
  return problems;
}

async function publintProblems(tarball) {
  const bytes = readFileSync(tarball);
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

/** The packages are ES modules only; how CommonJS and old resolvers see them is ignored. */
async function typeProblems(root, tarball) {
  const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const args = [attw, tarball, "--profile", "esm-only", "--format", "ascii", "--no-color", "--no-emoji"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  await once(child, "close");
  return child.exitCode === 0 ? [] : [`attw: ${output.trim()}`];
}

/** Whether a strict host program compiles against the declarations in the tarballs. */
function hostProblems(root, tarballs, packed) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  // Below the workspace, so that the packages' dependencies are found.
  const host = mkdtempSync(join(root, ".cache", "host-"));
  try {
    for (const { name, filename } of packed) {
      const own = join(host, "node_modules", name);
      mkdirSync(own, { recursive: true });
      execFileSync("tar", ["xzf", join(tarballs, filename), "-C", own, "--strip-components=1"]);
    }
    copyFileSync(join(root, "scripts/host-program.ts"), join(host, "host.ts"));
    writeFileSync(join(host, "package.json"), '{"type":"module","private":true}');
    return [true, false].flatMap((isStrict) => compileProblems(root, host, isStrict));
  } finally {
    rmSync(host, { recursive: true, force: true });
  }
}

/**
 * With `isStrict`, the declarations themselves are checked, too; once is enough, since most of the time goes into those
 * of dependencies.
 */
function compileProblems(root, host, isStrict) {
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true },
    ...{
      target: "es2023",
      lib: ["es2023"],
      module: "nodenext",
      types: ["node"],
      noEmit: true,
      verbatimModuleSyntax: true,
    },
    exactOptionalPropertyTypes: isStrict,
    skipLibCheck: !isStrict,
  };
  writeFileSync(join(host, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["host.ts"] }));
  const run = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", host], {
    cwd: host,
    encoding: "utf8",
  });
  if (run.status === 0) return [];
  return [`scripts/host-program.ts (exactOptionalPropertyTypes ${isStrict}):\n${run.stdout.trim()}`];
}
