// A member of a 1 GB zip archive over `unzip -p`, and over the same member of a small archive.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bench } from "../../../scripts/bench-types.ts";
import { CallPaths } from "../src/contract/paths/call-paths.ts";
import { zipFormat } from "../src/files/formats/archive/index.ts";
import { Parser } from "../src/files/parser/parser.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";

const ROUNDS = 15;
const root = fileURLToPath(new URL("../../..", import.meta.url));
const child = fileURLToPath(new URL("./read-member.ts", import.meta.url));

export const benches: Bench[] = [
  {
    name: "member of a 1 GB zip over unzip -p",
    run: () => inArchives(1000, overUnzip),
  },
  {
    name: "memory for a member of a 1 GB zip over one of 1 MB",
    run: () => inArchives(1000, overSmall),
  },
];

/** `big.zip` with as many megabytes, `small.zip` with one; both with a text of 200 KB in the middle. */
async function inArchives<T>(megabytes: number, work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "lathe-bench-"));
  const run = (command: string) => execFileSync("bash", ["-c", command], { cwd: directory });
  try {
    run(`mkdir d && head -c ${megabytes}000000 /dev/urandom | split -a 3 -b 1000000 - d/f && seq 1 34000 > d/m.txt`);
    run(
      "zip -q0r big.zip d -x d/m.txt && zip -q big.zip d/m.txt && zip -q0 small.zip d/faaa && zip -q small.zip d/m.txt && rm d/f*",
    );
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function overUnzip(directory: string) {
  const path = join(directory, "big.zip");
  const env = new LocalEnvironment({ cwd: directory, baseEnv: {} });
  const { signal } = new AbortController();
  const parser = new Parser();
  const scope = { env, signal, paths: new CallPaths(env, signal), services: { vision: false, parser } };
  const { size } = statSync(path);
  const file = { path, real: path, size, bytes: env.readBytes.bind(env, path), scope };
  const [own, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(await timed(async () => execFileSync("unzip", ["-p", path, "d/m.txt"], { maxBuffer: 1 << 20 })));
    own.push(await timed(() => zipFormat.read(file, { inner: "d/m.txt", separator: ":" })));
  }
  await parser.close();
  await env.cleanup();
  const [value, base] = [Math.min(...own), Math.min(...plain)];
  return { value: value / base, unit: "x", budget: 3, note: `${value.toFixed(1)} ms against ${base.toFixed(1)} ms` };
}

async function overSmall(directory: string) {
  const loader = join(root, "scripts/source-loader.mjs");
  const peak = (name: string) =>
    Number(
      execFileSync(
        process.execPath,
        ["--conditions=lathe-source", "--import", loader, child, join(directory, name), "d/m.txt"],
        { cwd: root },
      ),
    );
  const measured = (name: string) => Math.min(...Array.from({ length: 5 }, () => peak(name)));
  const [base, value] = [measured("small.zip"), measured("big.zip")];
  const megabytes = (kilobytes: number) => `${(kilobytes / 1024).toFixed(0)} MB`;
  return { value: value / base, unit: "x", budget: 1.2, note: `${megabytes(value)} against ${megabytes(base)}` };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
