// Chooses the engine for the local disk and runs ripgrep there.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { commandEnv, type EnvVars } from "../../process/env-policy.ts";
import type { Processes } from "../../process/processes.ts";
import { EnvError } from "../types.ts";
import { unlessBlocked } from "./blocked-ignores.ts";
import { builtinSearch } from "./builtin.ts";
import { localKind, localSearchFs } from "./local-fs.ts";
import { locateRipgrep } from "./locate-ripgrep.ts";
import { type RipgrepRunner, ripgrepSearch } from "./ripgrep.ts";
import type { Search, SearchEngine } from "./types.ts";

const STATS_PER_BREATH = 2000;

export async function localSearch(engine: SearchEngine, processes: Processes, env: EnvVars): Promise<Search> {
  if (engine === "builtin") return builtinSearch(localSearchFs(env));
  const program = await locateRipgrep(env["PATH"]);
  if (program !== undefined) {
    return unlessBlocked(ripgrepSearch(localRunner(program, processes, env)), builtinSearch(localSearchFs(env)));
  }
  if (engine === "auto") return builtinSearch(localSearchFs(env));
  throw new EnvError("unavailable", "ripgrep was not found. Install it (rg on PATH) or use the built-in search.");
}

function localRunner(program: string, processes: Processes, env: EnvVars): RipgrepRunner {
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
    kind: async (path) => localKind(path),
    async mtimes(directory, names) {
      const times: number[] = [];
      for (const name of names) {
        times.push(lstatSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
        if (times.length % STATS_PER_BREATH === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
      return times;
    },
  };
}
