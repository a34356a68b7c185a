// Chooses the engine for the local disk.

import type { EnvVars } from "../../process/env-policy.ts";
import type { Processes } from "../../process/processes.ts";
import { builtinSearch } from "./builtin.ts";
import { localSearchFs } from "./local-fs.ts";
import type { Search, SearchEngine } from "./types.ts";

export async function localSearch(_engine: SearchEngine, _processes: Processes, _env: EnvVars): Promise<Search> {
  return builtinSearch(localSearchFs);
}
