// Compiles programs against the package `lathe` as its users install it: alone, with its dependencies and the types of
// Node, and with the declarations themselves.
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const FENCED = /^```ts\b.*\n([\s\S]*?)^```$/gm;
const PAGES = ["packages/lathe/README.md", ...["extensions", "gates", "rpc", "serve"].map((name) => `docs/${name}.md`)];

export function packedTypesProblems(root, tarball) {
  // Outside of the workspace, where our other packages would be found.
  const folder = mkdtempSync(join(tmpdir(), "lathe-alone-"));
  try {
    const own = join(folder, "node_modules", "lathe");
    mkdirSync(own, { recursive: true });
    execFileSync("tar", ["xzf", tarball, "-C", own, "--strip-components=1"]);
    const { exports, dependencies = {} } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
    for (const name of [...Object.keys(dependencies), "@types/node"]) {
      const link = join(folder, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(root, "node_modules", name), link);
    }
    copyFileSync(join(root, "scripts/packed-program.ts"), join(folder, "packed-program.ts"));
    writeFileSync(join(folder, "entries.ts"), entriesText(exports));
    for (const page of PAGES) writeExamples(root, page, folder);
    return compileProblems(root, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every entry that has types, so that a new one is checked, too. */
function entriesText(exports) {
  const typed = Object.keys(exports).filter((path) => exports[path].types !== undefined);
  return typed
    .map((path, index) => `export type * as entry${index} from ${JSON.stringify(join("lathe", path))};\n`)
    .join("");
}

/** The examples of a page that import the package. */
function writeExamples(root, page, folder) {
  for (const [index, [, code]] of [...readFileSync(join(root, page), "utf8").matchAll(FENCED)].entries())
    if (/ from "lathe(\/\w+)?";/.test(code))
      writeFileSync(join(folder, `${page.replaceAll("/", "-")}-${index}.ts`), code);
}

function compileProblems(root, folder) {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
    ...{ target: "es2023", lib: ["es2023"], module: "nodenext", types: ["node"] },
  };
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  writeFileSync(join(folder, "package.json"), '{"type":"module","private":true}');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const run = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], {
    cwd: folder,
    encoding: "utf8",
  });
  if (run.status === 0) return [];
  return [`lathe, where no other package of ours is installed:\n${run.stdout.trim()}`];
}
