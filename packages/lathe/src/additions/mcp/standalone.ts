// Servers outside a session, for commands that only inspect them.

import { thisMachine } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { DefinitionCache } from "./cache.ts";
import { signInDeps, timeoutOfAll, valueSources } from "./configs.ts";
import { ServerManager } from "./manager.ts";
import type { ServerConfig } from "./types.ts";

/** Neither a user nor a model answers questions. `close` ends the servers. */
export function standaloneServers(
  configs: readonly ServerConfig[],
  workspace: Workspace,
): { readonly manager: ServerManager; close(): Promise<void> } {
  const env = thisMachine(workspace, { roots: () => workspace.roots, warn: () => {} });
  const manager = new ServerManager({
    configs,
    cache: new DefinitionCache(workspace.paths.cache),
    deps: workspace.machine.deps,
    waitsForStart: true,
    // The caller gets the state of each server instead.
    warn: () => {},
    host: {
      env: () => env,
      values: valueSources(workspace),
      roots: () => workspace.roots,
      version: LATHE_VERSION,
      timeoutMs: timeoutOfAll(workspace).ms,
      auth: async (config) => {
        if (config.transport === "stdio" || config.oauth === false) return undefined;
        return (await import("./with-package.ts")).storedSignIn(config, signInDeps(workspace, config));
      },
      hooks: () => ({}),
    },
  });
  return {
    manager,
    close: async () => {
      await manager.close();
      await env.cleanup();
    },
  };
}
