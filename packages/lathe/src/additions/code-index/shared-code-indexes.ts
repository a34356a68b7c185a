// The code indexes of a run: loaded with the first query, closed with the last session that may ask.

import type { Workspace } from "../../config/workspace/workspace.ts";
import type { CodeIndexes } from "./code-indexes.ts";

/** One session's access to the shared indexes. */
export interface EnteredIndexes {
  open(): Promise<CodeIndexes>;
  leave(): Promise<void>;
}

export class SharedCodeIndexes {
  #indexes: Promise<CodeIndexes> | undefined;
  #users = 0;

  enter({ paths, machine }: Pick<Workspace, "paths" | "machine">): EnteredIndexes {
    this.#users++;
    return {
      open: () => {
        this.#indexes ??= import("./code-indexes.ts").then(
          ({ CodeIndexes: Made }) => new Made(paths.cache, machine.deps.now),
        );
        return this.#indexes;
      },
      leave: async () => {
        if (--this.#users > 0) return;
        const indexes = this.#indexes;
        this.#indexes = undefined;
        await (await indexes)?.close();
      },
    };
  }
}
