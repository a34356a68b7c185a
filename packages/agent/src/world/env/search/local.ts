// Chooses the engine for the local disk, and runs ripgrep there.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { commandEnv, type EnvVars } from "../../process/env-policy.ts";
import type { Processes } from "../../process/processes.ts";
import { EnvError } from "../types.ts";
import { builtinSearch } from "./builtin.ts";
import { localSearchFs } from "./local-fs.ts";
import { locateRipgrep } from "./locate-ripgrep.ts";
import { hasOddIgnoreFile, localKind } from "./regular-file.ts";
import { type RipgrepRunner, ripgrepSearch } from "./ripgrep.ts";
import type { Search, SearchEngine } from "./types.ts";

/** Maps a path of a search to a path on disk: ripgrep may run where the path has another name. */
export type OnDisk = (path: string) => string;

const STATS_PER_BREATH = 2000;

export async function localSearch(
  engine: SearchEngine,
  processes: Processes,
  env: EnvVars,
  onDisk: OnDisk,
): Promise<Search> {
  const builtin = builtinSearch(localSearchFs(env, onDisk));
  if (engine === "builtin") return builtin;
  const program = await locateRipgrep(env["PATH"]);
  if (program !== undefined) {
    const ripgrep = ripgrepSearch(localRunner(program, processes, env, onDisk));
    const engineFor = (path: string): Search => (hasOddIgnoreFile(onDisk(path)) ? builtin : ripgrep);
    return {
      grep: (pattern, path, base, options) => engineFor(path).grep(pattern, path, base, options),
      glob: (pattern, path, base, options) => engineFor(path).glob(pattern, path, base, options),
    };
  }
  if (engine === "auto") return builtin;
  throw new EnvError(
    "unavailable",
    "ripgrep was not found: npm install @vscode/ripgrep, put rg on PATH, or use the built-in search.",
  );
}

function localRunner(program: string, processes: Processes, env: EnvVars, onDisk: OnDisk): RipgrepRunner {
  return {
    run: (args, cwd, onStdout, signal) =>
      processes.run({
        argv: [program, ...args],
        cwd,
        env: commandEnv(env, { policy: "inherit_core" }),
        timeoutMs: 0,
        signal,
        onStdout,
      }),
    kind: async (path) => localKind(onDisk(path)),
    async mtimes(directory, names) {
      const times: number[] = [];
      const place = onDisk(directory);
      for (const name of names) {
        times.push(lstatSync(join(place, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
        if (times.length % STATS_PER_BREATH === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
      return times;
    },
  };
}
