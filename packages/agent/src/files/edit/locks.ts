// Edits of the same file wait for each other; edits of different files do not. The host owns the object, one per
// session tree.

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly pathLocks?: PathLocks;
  }
}

/** Makes edits of the same file wait for each other; share one object among sessions that work in the same directory. */
export class PathLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /**
   * Runs `work` with exclusive access to all of `paths`. All paths are queued at once, so two calls cannot deadlock.
   */
  async run<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
    let release = () => {};
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    const unique = [...new Set(paths)];
    const before = unique.map((path) => this.#tails.get(path));
    for (const path of unique) this.#tails.set(path, mine);
    await Promise.all(before);
    try {
      return await work();
    } finally {
      release();
      for (const path of unique) if (this.#tails.get(path) === mine) this.#tails.delete(path);
    }
  }
}
