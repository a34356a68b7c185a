// The TypeScript samples: type-checked in strict mode against the packed packages, then run.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { placeOf, type Sample } from "./blocks.ts";
import type { Report } from "./report.ts";
import type { Env } from "./shells.ts";

const DEADLINE_MS = 60_000;

const run = promisify(execFile);

export interface Programs {
  /** A package with our packages installed, which contains the compiled samples. */
  readonly folder: string;
  /** The compiled file of each sample. */
  readonly files: ReadonlyMap<Sample, string>;
}

/**
 * Type-checks and compiles.
 * @param tarballs of all our packages
 * @param root whose compiler and types of Node are used
 */
export async function compile(
  samples: readonly Sample[],
  { folder, tarballs, root, env }: { folder: string; tarballs: readonly string[]; root: string; env: Env },
  report: Report,
): Promise<Programs> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"name":"samples","private":true,"type":"module"}\n');
  await run("npm", ["install", "--silent", "--no-audit", "--no-fund", ...tarballs], { cwd: folder, env });
  const files = new Map<Sample, string>();
  for (const sample of samples) {
    const name = placeOf(sample).replace(/[^a-z0-9]+/gi, "-");
    writeFileSync(join(folder, `${name}.ts`), sample.text);
    files.set(sample, join(folder, "compiled", `${name}.js`));
  }
  const options = {
    strict: true,
    target: "es2023",
    lib: ["es2023"],
    module: "nodenext",
    types: ["node"],
    // `npm run check` checks the declarations themselves.
    skipLibCheck: true,
    typeRoots: [join(root, "node_modules/@types")],
    outDir: "compiled",
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
  try {
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
    report.ok(`${samples.length} TypeScript samples pass the strict type check`);
  } catch (error) {
    report.fail("the strict type check of the TypeScript samples", (error as { stdout: string }).stdout);
  }
  return { folder, files };
}

export async function runProgram(
  file: string,
  what: string,
  { runtime = process.execPath, cwd, env }: { runtime?: string; cwd: string; env: Env },
  report: Report,
): Promise<string> {
  const child = spawn(runtime, [file], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  await once(child, "close");
  if (child.exitCode === 0) report.ok(what);
  else report.fail(what, `exit code ${child.exitCode}\n${output}`);
  return output;
}

/** What we promise about programs built on our packages: they are small, and need no extra types. */
export function promiseProblems(text: string): string[] {
  const lines = text.trim().split("\n").length;
  const casts = text.match(/\bas (?!const\b)\w+|<any>|\bany\b|!\.|!;|@ts-/g) ?? [];
  return [
    ...(lines > 25 ? [`it has ${lines} lines, the promise is 25`] : []),
    ...casts.map((cast) => `it needs "${cast}"`),
  ];
}
