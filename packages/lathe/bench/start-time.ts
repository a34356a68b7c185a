// How long the command takes from its start to the first request, with some files of the user's and with others, side by side.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchResult } from "../../../scripts/bench-types.ts";
import { modelServer } from "./model-server.ts";

/** By path below the home, in which `project` is the folder of the run. */
export type Files = Readonly<Record<string, string>>;

const CLI = process.env["BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const RUN = [CLI, "--model", "openai/gpt-5.2", "-p", "hello"];
const ROUNDS = 20;

/** The best of many starts with some files over the best with others. */
export async function startTime(files: Files, without: Files): Promise<Pick<BenchResult, "value" | "unit" | "note">> {
  const server = await modelServer();
  const start = async (dir: string): Promise<number> => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: dir,
      LATHE_HOME: join(dir, ".lathe"),
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: server.url,
    };
    const arrived = server.next();
    const begun = performance.now();
    const child = spawn(process.execPath, RUN, { cwd: join(dir, "project"), env, stdio: "ignore" });
    const closed = once(child, "close");
    await arrived;
    const took = performance.now() - begun;
    await closed;
    return took;
  };
  const [many, none] = [home(files), home(without)];
  // Write the code cache, and learn what the servers offer.
  await start(many);
  await start(none);
  let best = { many: Number.POSITIVE_INFINITY, none: Number.POSITIVE_INFINITY };
  for (let i = 0; i < ROUNDS; i++)
    best = { many: Math.min(best.many, await start(many)), none: Math.min(best.none, await start(none)) };
  server.close();
  return {
    value: best.many / best.none,
    unit: "x",
    note: `${best.many.toFixed(1)} ms against ${best.none.toFixed(1)} ms`,
  };
}

function home(files: Files): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-files-")));
  mkdirSync(join(dir, "project/.git"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}
