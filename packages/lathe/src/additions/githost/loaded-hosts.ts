// Everything that is loaded with the first call to a git host.

import { join } from "node:path";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { GitHostEngine } from "./engine.ts";
import { HostPlaces } from "./host-places.ts";
import { ThreadCache } from "./thread-cache.ts";
import { threadResolver } from "./thread-schemes.ts";

const PATIENCE_MS = 2_000;

export class LoadedHosts {
  readonly engine: GitHostEngine;
  readonly threads: ReturnType<typeof threadResolver>;
  readonly #cache: ThreadCache | undefined;
  readonly #ended = new AbortController();

  constructor(workspace: SessionWorkspace, addFolder: (path: string) => void) {
    const { settings, paths, machine } = workspace;
    const places = new HostPlaces(workspace);
    const { now } = machine.deps;
    this.#cache = settings["github.cache.enabled"]
      ? new ThreadCache({
          file: machine.env["LATHE_GITHUB_CACHE_DB"] || join(paths.cache, "github-cache.db"),
          softMs: settings["github.cache.softTtlSec"] * 1000,
          hardMs: settings["github.cache.hardTtlSec"] * 1000,
          now,
        })
      : undefined;
    this.engine = new GitHostEngine({ places, now, worktrees: join(paths.home, "wt"), addFolder });
    this.threads = threadResolver({ places, cache: this.#cache, ended: this.#ended.signal });
  }

  /** A running refresh gets a moment to finish, for the next session. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#ended.abort(), PATIENCE_MS);
    await this.#cache?.close();
    clearTimeout(timer);
    this.#ended.abort();
  }
}
