// Reports changes of files. It watches their folders, because editors replace a file with a new one.

import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { SessionDeps } from "@lathe/agent";

/** An editor writes a file in several steps. */
const SETTLE_MS = 200;

export class WatchedFiles {
  readonly #watchers: readonly FSWatcher[];
  #timer: { cancel(): void } | undefined;

  constructor(files: readonly string[], setTimer: SessionDeps["setTimer"], changed: () => void) {
    const names = new Map<string, Set<string>>();
    for (const file of files) names.set(dirname(file), (names.get(dirname(file)) ?? new Set()).add(basename(file)));
    this.#watchers = [...names].map(([folder, watched]) =>
      watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || !watched.has(name)) return;
        this.#timer?.cancel();
        this.#timer = setTimer(changed, SETTLE_MS);
      }).on("error", () => {}),
    );
  }

  close(): void {
    this.#timer?.cancel();
    for (const watcher of this.#watchers) watcher.close();
  }
}
